// A log that is closed while another thread still writes to it.
//@ predict: bug use-after-close
#include <pthread.h>
#include <stdio.h>

static FILE *log_file;

static void *writer(void *unused) {
    fputs("working\n", log_file); //~ BUG use-after-close
    return unused;
}

static void *closer(void *unused) {
    fclose(log_file);
    return unused;
}

int main(void) {
    pthread_t first, second;
    log_file = tmpfile();
    if (!log_file)
        return 1;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, closer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
