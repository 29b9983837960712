// Main asks a stream for its number, or sets its buffer, while another thread may have closed it.
//@ check: bug use-after-close
//@ check --cflag=-DBUFFER: bug use-after-close
//@ check --strategy exhaustive: bug use-after-close
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int asked;
static FILE *file;

static void *close_if_asked(void *arg)
{
    if (asked)
        fclose(file);
    return arg;
}

int main(void)
{
    pthread_t thread;
    file = tmpfile();
    pthread_create(&thread, NULL, close_if_asked, NULL);
    asked = 1;
#ifdef BUFFER
    setvbuf(file, NULL, _IONBF, 0);
#else
    fileno(file);
#endif
    pthread_join(thread, NULL);
    return 0;
}
