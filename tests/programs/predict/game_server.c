// A game server, after finalsolution: a player leaves and is freed while another thread still sends to it.
//@ predict: bug data-race,use-after-free
#include <pthread.h>
#include <stdlib.h>

struct player {
    int sent;
};

static struct player *players[1];

static void *sender(void *unused) {
    players[0]->sent = 1; //~ BUG use-after-free
    return unused;
}

static void *leaver(void *unused) {
    free(players[0]);
    return unused;
}

int main(void) {
    pthread_t first, second;
    players[0] = malloc(sizeof *players[0]);
    players[0]->sent = 0;
    pthread_create(&first, NULL, sender, NULL);
    pthread_create(&second, NULL, leaver, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
