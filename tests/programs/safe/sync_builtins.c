// The older GCC builtins: all are full barriers, so the plain counter behind the lock of __sync_lock_test_and_set is safe.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static int total, lock, counter;

static void *work(void *arg)
{
    __sync_fetch_and_add(&total, 2);
    if (__sync_lock_test_and_set(&lock, 1) == 0) {
        counter++;
        __sync_lock_release(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    int x = 6;
    assert(__sync_add_and_fetch(&x, 1) == 7);
    assert(__sync_sub_and_fetch(&x, 3) == 4);
    assert(__sync_fetch_and_or(&x, 3) == 4 && x == 7);
    assert(__sync_and_and_fetch(&x, 5) == 5);
    assert(__sync_fetch_and_xor(&x, 1) == 5 && x == 4);
    assert(__sync_fetch_and_nand(&x, 4) == 4 && x == ~4);
    assert(__sync_bool_compare_and_swap(&x, ~4, 8));
    assert(__sync_val_compare_and_swap(&x, 9, 1) == 8);
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    __sync_synchronize();
    pthread_join(thread, NULL);
    assert(total == 4);
    assert(counter == 1 || counter == 2);
    return 0;
}
