// Two accounts, each with its own lock. A transfer locks the account that pays, then the one that is paid.
//
// Ann pays Bob while Bob pays Ann: if each thread gets its first lock before the other gets its second, both
// wait for ever. The machine under your desk may run this a million times without showing it.
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account ann = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *ann_pays(void *unused)
{
    (void)unused;
    transfer(&ann, &bob, 30);
    return NULL;
}

static void *bob_pays(void *unused)
{
    (void)unused;
    transfer(&bob, &ann, 50);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, ann_pays, NULL);
    pthread_create(&second, NULL, bob_pays, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(ann.balance + bob.balance == 200);
    return 0;
}
