// Two threads write to one log. Either may come first: the data is reached without the other's line. What one reads back keeps its order.
//@ predict: bug data-race
//@ predict --cflag=-DREADS: bounded
#include <pthread.h>
#include <stdio.h>

static FILE *log_file;
static int data;

static void *first(void *unused) {
    data = 1; //~ BUG data-race
    fprintf(log_file, "first\n");
    return unused;
}

static void *second(void *unused) {
#ifdef READS
    rewind(log_file);
    if (fgetc(log_file) == 'f')
#else
    fputs("second\n", log_file);
#endif
        data = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t threads[2];
    log_file = tmpfile();
    if (!log_file)
        return 1;
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    fclose(log_file);
    return 0;
}
