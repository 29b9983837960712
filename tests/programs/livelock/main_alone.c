// main waits for what nobody can ever do, because there is no other thread. While one thread is alone nothing is visible, and such a loop is easily
// taken for a long computation that a bound cuts off. Shapes of waiting: an empty loop, yielding, testing in the middle, sleeping on a volatile,
// compare-and-swap, test-and-set, a function that looks, a failing try-lock, a semaphore, a lock taken to look, a lock taken in a function.
//@ check: bug livelock
//@ check --strategy exhaustive: bug livelock
//@ check --strategy random --runs 2: bug livelock
//@ check --cflag=-DSHAPE=1: bug livelock
//@ check --cflag=-DSHAPE=2: bug livelock
//@ check --cflag=-DSHAPE=3: bug livelock
//@ check --cflag=-DSHAPE=4: bug livelock
//@ check --cflag=-DSHAPE=5: bug livelock
//@ check --cflag=-DSHAPE=6: bug livelock
//@ check --cflag=-DSHAPE=7: bug livelock
//@ check --cflag=-DSHAPE=8: bug livelock
//@ check --cflag=-DSHAPE=9: bug livelock
//@ check --cflag=-DSHAPE=10: bug livelock
//@ check --uninit --cflag=-DSHAPE=3: bug livelock
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#ifndef SHAPE
#define SHAPE 0
#endif

static atomic_int flag;
static volatile int plain_flag;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int expected;

static int is_set(void)
{
    return atomic_load(&flag) == 1;
}

static int is_set_under_lock(void)
{
    pthread_mutex_lock(&lock);
    int set = plain_flag;
    pthread_mutex_unlock(&lock);
    return set;
}

#if SHAPE == 0
#define WAIT while (!atomic_load(&flag)) { }
#elif SHAPE == 1
#define WAIT while (!flag) sched_yield();
#elif SHAPE == 2
#define WAIT for (;;) if (atomic_load(&flag)) break;
#elif SHAPE == 3
#define WAIT while (!plain_flag) usleep(10);
#elif SHAPE == 4
#define WAIT do expected = 1; while (!atomic_compare_exchange_strong(&flag, &expected, 2));
#elif SHAPE == 5
#define WAIT while (atomic_flag_test_and_set(&taken)) { }
#elif SHAPE == 6
#define WAIT while (!is_set()) { }
#elif SHAPE == 7
#define WAIT while (pthread_mutex_trylock(&lock)) { }
#elif SHAPE == 8
#define WAIT while (sem_trywait(&semaphore)) sleep(1);
#elif SHAPE == 9
#define WAIT for (int set = 0; !set;) { pthread_mutex_lock(&lock); set = plain_flag; pthread_mutex_unlock(&lock); }
#elif SHAPE == 10
#define WAIT while (!is_set_under_lock()) { }
#endif

int main(void)
{
    sem_init(&semaphore, 0, 0);
    atomic_flag_test_and_set(&taken);
    if (SHAPE == 7)
        pthread_mutex_lock(&lock);
    WAIT //~ BUG livelock
    is_set();
    is_set_under_lock();
    return 0;
}
