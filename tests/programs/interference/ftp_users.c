// Two clients log in to an FTP server that has room for a last user. Whether there is room is asked before the lock of the list is taken, so both
// can be told that there is. The paper (Farzan, Holzer, Razavi and Veith, 2013) found bugs with two drivers of Apache's FTP server and does not
// say which.
// Two threads, two inputs: a name is refused or not. Needs one interference: `n_users` at the assertion.
//@ check: bug assertion executions=12 blocked=0
//@ check --cflag=-DFIXED: safe executions=10 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=5
//@ check --strategy interference --max-interferences 1: bug assertion executions=9
//@ check --cflag=-DFIXED --strategy interference: safe executions=7
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { MOST_USERS = 2, NOBODY = 0, ROOT = 1, GUEST = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n_users = 1;
static int users[MOST_USERS] = {GUEST};

static bool add_user(int user)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    bool room = n_users < MOST_USERS;
#ifndef FIXED
    pthread_mutex_lock(&lock);
#endif
    if (room) {
        int at = n_users;
        assert(at < MOST_USERS); //~ BUG assertion
        users[at] = user;
        n_users = at + 1;
    }
    pthread_mutex_unlock(&lock);
    return room;
}

static void *log_in(void *arg)
{
    int user = gordian_range(NOBODY, GUEST, "user");
    if (user != NOBODY && user != ROOT)
        add_user(user);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, log_in, NULL);
    pthread_create(&second, NULL, log_in, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
