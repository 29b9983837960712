// `readdir` gives the same buffer each time: who still looks at the last entry in it races with the next call.
//@ check: bug data-race
#include <dirent.h>
#include <pthread.h>

static DIR *directory;
static struct dirent *entry;

static void *look(void *arg)
{
    return entry->d_name[0] == '.' ? arg : NULL; //~ BUG data-race
}

int main(void)
{
    pthread_t thread;
    directory = opendir("/");
    if (!directory || !(entry = readdir(directory)))
        return 0;
    pthread_create(&thread, NULL, look, NULL);
    readdir(directory); //~ BUG data-race
    pthread_join(thread, NULL);
    closedir(directory);
    return 0;
}
