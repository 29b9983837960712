// An audio queue, after alsaplayer: the player takes the queue's lock and then the device's, the stop button the other way round.
//@ predict: bug deadlock
#include <pthread.h>

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, device = PTHREAD_MUTEX_INITIALIZER;
static int queued, playing;

static void *play(void *unused) {
    pthread_mutex_lock(&queue);
    queued++;
    pthread_mutex_lock(&device); //~ BUG deadlock
    playing = 1;
    pthread_mutex_unlock(&device);
    pthread_mutex_unlock(&queue);
    return unused;
}

static void *stop(void *unused) {
    pthread_mutex_lock(&device);
    playing = 0;
    pthread_mutex_lock(&queue); //~ BUG deadlock
    queued = 0;
    pthread_mutex_unlock(&queue);
    pthread_mutex_unlock(&device);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, play, NULL);
    pthread_create(&second, NULL, stop, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
