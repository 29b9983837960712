// 130 threads, of which three write and four look, in groups whose numbers are equal modulo 64: x is written by thread 1 and read
// twice by threads 65 and 129 (nine traces); y is written twice by thread 2 and read once by threads 66 and 130 (three by three).
//@ check --races ignore: safe executions=81
//@ check --races ignore --strategy dpor-classic: safe executions=81
//@ check --races ignore --jobs 2: safe executions=81
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *acts(void *arg)
{
    switch ((int)(long)arg) {
    case 1: x = 1; break;
    case 2: y = 1; y = 2; break;
    case 65: case 129: return (void *)(long)(x + x);
    case 66: case 130: return (void *)(long)y;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[131];
    for (long i = 1; i <= 130; i++)
        pthread_create(&threads[i], 0, acts, (void *)i);
    for (int i = 1; i <= 130; i++)
        pthread_join(threads[i], 0);
    return 0;
}
