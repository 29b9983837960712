// A bank with a journal: tellers transfer money between accounts, lock both accounts in order, and write each transfer to a file.
// Replaying the journal on fresh accounts gives the same balances.
//@ check --strategy random --runs 20: bounded
//@ check --strategy pos --runs 20: bounded
//@ files: bank_journal/bank.c bank_journal/journal.c bank_journal/program.c
#include "bank_journal/program.h"

int main(void)
{
    return bank_program();
}
