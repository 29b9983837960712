// The ray tracer of the Java Grande benchmarks: each thread renders every second row and adds its checksum to the common one, in a block that is
// synchronised with an object of its own instead of a shared one. The race on the checksum is the bug (Razavi, Farzan and Holzer, 2012).
// Two threads, no inputs. Needs one interference, as in the paper: main reads what the last thread wrote, who knew nothing of the other.
//@ check: bug data-race,assertion executions=4 blocked=0
//@ check --cflag=-DFIXED: safe executions=2 blocked=0
//@ check --strategy interference --max-interferences 0: bug data-race executions=6
//@ check --strategy interference --max-interferences 1: bug data-race,assertion executions=7
//@ check --cflag=-DFIXED --strategy interference: safe executions=5
#include <assert.h>
#include <pthread.h>

enum { THREADS = 2, WIDTH = 4, HEIGHT = 4, EXPECTED = 1324 };

struct tracer {
    pthread_mutex_t lock;
    int first_row;
};

static struct tracer tracers[THREADS] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 1}};
static long checksum;

/// How bright a sphere in the middle of the picture looks there, from 0 to 255.
static int brightness(int x, int y)
{
    int dx = 2 * x - WIDTH + 1, dy = 2 * y - HEIGHT + 1, depth = 13 - dx * dx - dy * dy;
    return depth > 0 ? 255 * depth / 13 : 0;
}

static void *render(void *arg)
{
    struct tracer *tracer = arg;
    long sum = 0;
    for (int y = tracer->first_row; y < HEIGHT; y += THREADS)
        for (int x = 0; x < WIDTH; x++)
            sum += brightness(x, y);
#ifdef FIXED
    pthread_mutex_t *lock = &tracers[0].lock;
#else
    pthread_mutex_t *lock = &tracer->lock;
#endif
    pthread_mutex_lock(lock);
    checksum = checksum + sum; //~ BUG data-race
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int n = 0; n < THREADS; n++)
        pthread_create(&threads[n], NULL, render, &tracers[n]);
    for (int n = 0; n < THREADS; n++)
        pthread_join(threads[n], NULL);
    assert(checksum == EXPECTED); //~ BUG assertion
    return 0;
}
