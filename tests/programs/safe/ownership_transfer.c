// A buffer changes hands through a mutex-protected mailbox: each moment it has one owner, so its plain bytes need no lock.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *mailbox;

static void *send(void *arg)
{
    char *letter = malloc(2);
    if (letter == NULL)
        abort();
    letter[0] = 'h';
    letter[1] = 'i';
    pthread_mutex_lock(&lock);
    mailbox = letter;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send, NULL);
    pthread_mutex_lock(&lock);
    char *letter = mailbox;
    mailbox = NULL;
    pthread_mutex_unlock(&lock);
    if (letter != NULL) {
        letter[0]++;
        assert(letter[0] == 'i' && letter[1] == 'i');
        free(letter);
    }
    pthread_join(thread, NULL);
    free(mailbox);
    return 0;
}
