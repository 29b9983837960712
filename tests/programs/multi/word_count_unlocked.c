// The same program, compiled so that the workers add to the total without its lock: a race, and sometimes a wrong total.
//@ check --strategy random --runs 500 --keep-going: bug data-race,assertion
//@ check --strategy random --runs 500 --races ignore: bug assertion
//@ files: word_count/program.c word_count/queue.c word_count/count.c
//@ cflag: -DUNLOCKED_TOTAL
#include "word_count/program.h"

int main(int argc, char **argv)
{
    return word_count(argc, argv);
}
