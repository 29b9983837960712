#include "program.h"

#include "count.h"
#include "queue.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILES = 3, MAX_WORKERS = 4 };

static const char *const texts[FILES] = {"one two\nthree\n", "  four\n\nfive six \n", "seven"};

static struct queue queue;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void add(long words)
{
#ifdef UNLOCKED_TOTAL
    (void)total_lock;
    total += words; //~ BUG data-race
#else
    pthread_mutex_lock(&total_lock);
    total += words;
    pthread_mutex_unlock(&total_lock);
#endif
}

static void *worker(void *arg)
{
    char *name;
    while ((name = queue_take(&queue)) != NULL) {
        long words = count_words(name);
        assert(words >= 0);
        add(words);
        free(name);
    }
    return arg;
}

static void file_name(char *name, size_t size, int i)
{
    snprintf(name, size, "/tmp/gordian-word-count-%d.txt", i);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    if (file == NULL)
        abort();
    fputs(text, file);
    fclose(file);
}

int word_count(int argc, char **argv)
{
    pthread_t threads[MAX_WORKERS];
    char name[48];
    int n_workers = argc > 1 ? atoi(argv[1]) : 2;
    if (n_workers < 1 || n_workers > MAX_WORKERS) {
        fprintf(stderr, "usage: %s [workers]\n", argv[0]);
        return 2;
    }
    queue_init(&queue);
    for (int i = 0; i < n_workers; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < FILES; i++) {
        file_name(name, sizeof name, i);
        write_file(name, texts[i]);
        queue_put(&queue, name);
    }
    queue_close(&queue);
    for (int i = 0; i < n_workers; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < FILES; i++) {
        file_name(name, sizeof name, i);
        remove(name);
    }
    queue_destroy(&queue);
    printf("%ld words\n", total);
    assert(total == 7); //~ BUG assertion
    return 0;
}
