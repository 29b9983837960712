// The same bank, compiled so that a transfer locks the source first: opposite transfers deadlock.
//@ check --strategy random --runs 500: bug deadlock
//@ check --strategy pct --runs 500: bug deadlock
//@ files: bank_journal/bank.c bank_journal/journal.c bank_journal/program.c
//@ cflag: -DUNORDERED_LOCKS
#include "bank_journal/program.h"

int main(void)
{
    return bank_program();
}
