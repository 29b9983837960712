// Fourier coefficients, as the series of the Java Grande benchmarks, in integers: each of two threads fetches the number of the next row and computes it.
// The benchmark is right for two threads; here the number is fetched without a lock, an injected bug as in the paper (Razavi, Farzan and
// Holzer, 2012). Two threads, no inputs. One source, as there: that the row is done already.
//@ check --races ignore: bug assertion
//@ check --races ignore --cflag=-DFIXED: safe
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
//@ check --races ignore --cflag=-DFIXED --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

enum { ROWS = 4, POINTS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_row, coefficients[ROWS], n_done[ROWS];

/// The integral of (x + 1) * (row + x) by the trapezoid rule, times two.
static int integral(int row)
{
    int sum = row + (POINTS + 1) * (row + POINTS);
    for (int x = 1; x < POINTS; x++)
        sum += 2 * (x + 1) * (row + x);
    return sum;
}

static int fetch_row(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    int row = next_row;
    next_row = row + 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return row;
}

static void *compute(void *arg)
{
    int row = fetch_row();
    coefficients[row] = integral(row);
    pthread_mutex_lock(&lock);
    n_done[row]++;
    assert(n_done[row] == 1); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, compute, NULL);
    pthread_create(&second, NULL, compute, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
