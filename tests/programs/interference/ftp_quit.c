// An FTP server whose clients are served by a thread each, while another closes connections that were idle for too long. A session looks whether
// it is open before every command, but the descriptor can be closed until the reply is sent. Two bugs of this kind, a connection that is closed
// before a transfer is complete, were found in FTPNET (Razavi, Farzan and Holzer, 2012).
// Two threads, one input: the command; QUIT sends nothing. Needs one interference, as there: `descriptor` at the reply.
//@ check: bug assertion executions=8 blocked=0
//@ check --cflag=-DFIXED: safe executions=6 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=5
//@ check --strategy interference --max-interferences 1: bug assertion executions=8
//@ check --cflag=-DFIXED --strategy interference: safe executions=7
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum command { QUIT, NOOP, RETRIEVE, N_COMMANDS };
enum { CLOSED = -1, BLOCKS = 2 };

struct session {
    pthread_mutex_t lock;
    atomic_int descriptor;
    bool idle;
};

static struct session session = {PTHREAD_MUTEX_INITIALIZER, 3, true};
static int n_sent[4];

static void send_block(int descriptor)
{
    assert(descriptor != CLOSED); //~ BUG assertion
    n_sent[descriptor]++;
}

static bool begin_command(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    bool open = session->descriptor != CLOSED;
#ifdef FIXED
    session->idle = false;
#endif
    pthread_mutex_unlock(&session->lock);
    return open;
}

static void end_command(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    session->idle = true;
    pthread_mutex_unlock(&session->lock);
}

static void *serve(void *arg)
{
    struct session *session = arg;
    enum command command = gordian_range(0, N_COMMANDS - 1, "command");
    if (command == QUIT || !begin_command(session))
        return NULL;
    for (int n = 0; n < (command == RETRIEVE ? BLOCKS : 1); n++)
        send_block(session->descriptor);
    end_command(session);
    return NULL;
}

static void *close_idle(void *arg)
{
    struct session *session = arg;
    pthread_mutex_lock(&session->lock);
    if (session->idle)
        session->descriptor = CLOSED;
    pthread_mutex_unlock(&session->lock);
    return NULL;
}

int main(void)
{
    pthread_t server, timer;
    pthread_create(&server, NULL, serve, &session);
    pthread_create(&timer, NULL, close_idle, &session);
    pthread_join(server, NULL);
    pthread_join(timer, NULL);
    return 0;
}
