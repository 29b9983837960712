// The race in C11 threads, on a structure member reached through two pointers.
//@ check --strategy exhaustive: bug data-race
#include <threads.h>

struct job {
    int progress;
};

static int work(void *arg)
{
    struct job *job = arg;
    job->progress = 50; //~ BUG data-race
    return 0;
}

int main(void)
{
    thrd_t thread;
    struct job job = {0};
    thrd_create(&thread, work, &job);
    int seen = job.progress; //~ BUG data-race
    thrd_join(thread, NULL);
    return seen > 50;
}
