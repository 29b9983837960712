// Another thread comes between the two reads, and then the second one leads to another decision: the region is violated all the same.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1;

static int get(void) {
    pthread_mutex_lock(&lock);
    int now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}

static void *audit(void *unused) {
    int before = get();
    if (get() != before)
        puts("somebody moved money");
    return unused;
}

static void *withdraw(void *unused) {
    pthread_mutex_lock(&lock);
    balance--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, audit, NULL);
    pthread_create(&second, NULL, withdraw, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
