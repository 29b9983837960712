// Counts words with a pool of workers: main writes three files, queues their names, two workers read the files and add up.
// The total is protected and the queue is closed with a broadcast: correct.
//@ check --strategy random --runs 20 --leaks: bounded
//@ check --strategy pct --runs 20 -- 3: bounded
//@ files: word_count/program.c word_count/queue.c word_count/count.c
#include "word_count/program.h"

int main(int argc, char **argv)
{
    return word_count(argc, argv);
}
