// Main clears an object with a mutex in it while another thread runs, and then creates two threads that use it. Either of them may lock it first.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct {
    pthread_mutex_t mutex;
    int order;
} object;
static atomic_int idle;

static void *other(void *unused) {
    idle = 1;
    return unused;
}

static void *use(void *number) {
    pthread_mutex_lock(&object.mutex);
    object.order = object.order * 3 + *(int *)number;
    pthread_mutex_unlock(&object.mutex);
    return NULL;
}

int main(void) {
    static int numbers[] = {1, 2};
    pthread_t first, second, third;
    pthread_create(&first, NULL, other, NULL);
    memset(&object, 0, sizeof object);
    pthread_create(&second, NULL, use, &numbers[0]);
    pthread_create(&third, NULL, use, &numbers[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    assert(object.order != 7); //~ BUG assertion
    return 0;
}
