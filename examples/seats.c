// Two customers want seats of the last three. Whether too many are sold depends on what they want and on who comes when.
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 3;

static int left(void)
{
    pthread_mutex_lock(&lock);
    int now = seats;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *buy(void *wanted)
{
    int n = *(int *)wanted;
    if (left() >= n) {
        pthread_mutex_lock(&lock);
        seats -= n;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    int ann = gordian_range(1, 3, "ann"), bob = gordian_range(1, 3, "bob");
    pthread_t first, second;
    pthread_create(&first, NULL, buy, &ann);
    pthread_create(&second, NULL, buy, &bob);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(seats >= 0);
    return 0;
}
