// The same bank, compiled so that the journal is written after the locks are released. Both transfers are in it, but perhaps in another
// order than they happened; a withdrawal that was covered when it happened is not covered when it is replayed.
//@ check --strategy random --runs 3000: bug assertion
//@ files: bank_journal/bank.c bank_journal/journal.c bank_journal/program.c
//@ cflag: -DLATE_ENTRY
#include "bank_journal/program.h"

int main(void)
{
    return bank_program();
}
