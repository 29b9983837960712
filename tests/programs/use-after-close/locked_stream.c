// One thread locks a stream, the other closes it. `fclose` takes the lock first, as natively, so it waits while the stream is locked; behind it there is no lock any more.
// No reduction knew that `fclose` ends the lock.
// Two executions: `fclose` comes before `flockfile`, which then is the use of a closed stream, or behind `funlockfile`.
//@ check -- 0: bug use-after-close executions=2
//@ check --strategy dpor-classic -- 0: bug use-after-close
//@ check --strategy exhaustive -- 0: bug use-after-close
//@ check --strategy bounded -- 0: bug use-after-close
//@ check --strategy unfold -- 0: bug use-after-close
//@ check -- 1: bug use-after-close
//@ check --strategy dpor-classic -- 1: bug use-after-close
//@ check --strategy exhaustive -- 1: bug use-after-close
//@ check --strategy unfold -- 1: bug use-after-close
// The static pairs have both sides of it, too.
//@ check --strategy value-schedule -- 0: bug use-after-close
//@ check --facts on -- 0: bug use-after-close
// Each holds what the other waits for.
//@ check -- 2: bug deadlock,use-after-close
//@ check --strategy dpor-classic -- 2: bug deadlock,use-after-close
//@ check --strategy exhaustive -- 2: bug deadlock,use-after-close
// `freopen` waits, too, and the stream stays: behind it the lock is the same.
//@ check -- 3: safe executions=2
//@ check --strategy exhaustive -- 3: safe
// Who holds the lock may close the stream.
//@ check -- 4: safe
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static int how;

static void *locks(void *unused) {
    if (how == 1 ? ftrylockfile(file) : (flockfile(file), 0)) //~ BUG use-after-close
        return unused;
    if (how == 2) {
        pthread_mutex_lock(&mutex); //~ BUG deadlock
        pthread_mutex_unlock(&mutex);
    }
    funlockfile(file);
    return unused;
}

static void *closes(void *unused) {
    switch (how) {
    case 2:
        pthread_mutex_lock(&mutex);
        fclose(file); //~ BUG deadlock
        pthread_mutex_unlock(&mutex);
        break;
    case 3:
        if (!freopen("other.txt", "w", file))
            abort();
        break;
    default:
        fclose(file);
        break;
    }
    return unused;
}

static void *closes_locked(void *unused) {
    flockfile(file);
    fclose(file);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t one, other;
    how = argc > 1 ? atoi(argv[1]) : 0;
    file = fopen("file.txt", "w");
    if (how == 4) {
        pthread_create(&one, 0, closes_locked, 0);
        pthread_join(one, 0);
        return 0;
    }
    pthread_create(&one, 0, locks, 0);
    pthread_create(&other, 0, closes, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
}
