// Successive over-relaxation of the Java Grande benchmarks, in integers: each of two threads relaxes one row of a grid, the red cells first and
// then the black ones, and tells by a counter how many sweeps it has made. Cells of one colour depend on those of the other alone, so a thread
// must wait for its neighbour after every sweep. Here it waits after red ones only: an injected bug, as in the paper (Razavi, Farzan and Holzer,
// 2012), which knows of none for two threads.
// Two threads, no inputs. Needs two interferences, as there: who is ahead has seen the neighbour's counter and its red cell, and then reads a
// black cell too early.
//@ check: bug assertion executions=19
//@ check --cflag=-DFIXED: safe executions=27 blocked=0
//@ check --strategy interference --max-interferences 1: bounded executions=5
//@ check --strategy interference --max-interferences 2: bug assertion executions=7
//@ check --cflag=-DFIXED --strategy interference: bounded executions=24
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define ROWS 2
#define COLUMNS 2
#define ITERATIONS 2

static atomic_int grid[ROWS + 2][COLUMNS + 2] = {{64, 64, 64, 64}, {0}, {0}, {0}};
static atomic_int sweeps_done[ROWS];

static int relaxed(int row, int column)
{
    int around = grid[row - 1][column] + grid[row + 1][column] + grid[row][column - 1] + grid[row][column + 1];
    return (5 * around - 4 * grid[row][column]) / 16;
}

/// What the cell of each row becomes in each sweep if nothing goes wrong.
static const int expected[2 * ITERATIONS][ROWS + 1] = {{0, 20, 0}, {0, 26, 6}, {0, 25, 10}, {0, 24, 9}};

static void *relax(void *arg)
{
    int row = (int)(intptr_t)arg, neighbour = row == 1 ? 2 : 1;
    for (int n = 0; n < 2 * ITERATIONS; n++) {
        for (int column = 1; column <= COLUMNS; column++) {
            if ((row + column) % 2 != n % 2)
                continue;
            grid[row][column] = relaxed(row, column);
            assert(grid[row][column] == expected[n][row]); //~ BUG assertion
        }
        sweeps_done[row - 1] = n + 1;
#ifndef FIXED
        if (n % 2 == 1)
            continue;
#endif
        while (sweeps_done[neighbour - 1] <= n)
            ;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[ROWS];
    for (intptr_t n = 0; n < ROWS; n++)
        pthread_create(&threads[n], NULL, relax, (void *)(n + 1));
    for (int n = 0; n < ROWS; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
