// The program says what it means to be one: the withdrawals are far apart in the source, so nobody would infer it.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>

void gordian_atomic_begin(void);
void gordian_atomic_end(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int checking = 100, savings = 100;

static void *transfer(void *unused) {
    gordian_atomic_begin();
    pthread_mutex_lock(&lock);
    checking -= 10;
    pthread_mutex_unlock(&lock);







    pthread_mutex_lock(&lock);
    savings += 10;
    pthread_mutex_unlock(&lock);
    gordian_atomic_end();
    return unused;
}

static void *audit(void *unused) {
    pthread_mutex_lock(&lock);
    int sum = checking + savings;
    pthread_mutex_unlock(&lock);
    (void)sum;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, transfer, NULL);
    pthread_create(&b, NULL, audit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
