// The address of the loop variable is handed to each thread, while the loop goes on and changes it.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static void *work(void *arg)
{
    int me = *(int *)arg; //~ BUG data-race
    return me < 0 ? arg : NULL;
}

int main(void)
{
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++) //~ BUG data-race
        pthread_create(&threads[i], NULL, work, &i);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
