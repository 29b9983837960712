// bank.c put right: whoever pays, the account with the lower number is locked first. Locks taken in one order
// cannot wait for each other in a circle.
#include <assert.h>
#include <pthread.h>

struct account {
    int number;
    pthread_mutex_t lock;
    int balance;
};

static struct account ann = {1, PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {2, PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = from->number < to->number ? from : to;
    struct account *second = first == from ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
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
