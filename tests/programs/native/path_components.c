// Paths are gone through name by name: each but the last must be a directory, and so must what ends with a slash, `.` or `..`.
//@ native
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *what, int result) { printf("%-44s %d\n", what, result < 0 ? errno : 0); }

#define SHOW(call) show(#call, (int)(call))

int main(void) {
    char folder[] = "/tmp/componentsXXXXXX", path[PATH_MAX];
    struct stat facts;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
    int fd = open("f", O_CREAT | O_RDWR, 0600);
    mkdir("q", 0700);
    SHOW(rmdir("q/.")); SHOW(rmdir("q/..")); SHOW(rmdir(".")); SHOW(rmdir("f/.")); SHOW(rmdir("f/")); SHOW(rmdir("no/."));
    SHOW(unlink("q/")); SHOW(unlink("f/")); SHOW(unlink("no/"));
    SHOW(mkdir("n/", 0700)); SHOW(mkdir("n/.", 0700)); SHOW(mkdir("x/.", 0700)); SHOW(mkdir("f/", 0700)); SHOW(mkdir("f/..", 0700));
    SHOW(rename("f", "g/")); SHOW(rename("f/", "g")); SHOW(rename("q/", "r")); SHOW(rename("r", "s/"));
    SHOW(rename("s/.", "t")); SHOW(rename("s", "t/.")); SHOW(rename("f", "s/..")); SHOW(rename("no/", "w"));
    SHOW(open("new/", O_CREAT | O_RDWR, 0600)); SHOW(open("f/", O_CREAT | O_RDWR, 0600)); SHOW(open("s/", O_CREAT | O_RDWR, 0600));
    SHOW(open("no/.", O_CREAT | O_RDWR, 0600)); SHOW(open("no/x/", O_CREAT | O_RDWR, 0600)); SHOW(open("s/.", O_CREAT | O_RDWR, 0600));
    SHOW(open("f/..", O_RDONLY)); SHOW(open("no/../f", O_RDONLY)); SHOW(open("s/../f", O_RDONLY)); SHOW(open("f/x", O_RDONLY));
    SHOW(stat("f/", &facts)); SHOW(stat("f/.", &facts)); SHOW(stat("s/.", &facts)); SHOW(access("f/", F_OK)); SHOW(chmod("f/", 0600));
    SHOW(chdir("f/")); SHOW(chdir("s/")); SHOW(chdir(".."));
    SHOW(truncate("f/", 0)); SHOW(truncate("f", -1)); SHOW(truncate("no", -1)); SHOW(ftruncate(fd, -1));
    SHOW(realpath("f/..", path) == NULL ? -1 : 0); SHOW(realpath("s/..", path) == NULL ? -1 : 0);
    SHOW(readlink("no", path, 9)); SHOW(readlink("f", path, 9)); SHOW(readlink("f/", path, 9));
    SHOW(open("/dev/null", O_CREAT | O_EXCL | O_RDWR, 0600)); SHOW(open("/dev/null/", O_RDWR)); SHOW(open("/dev/../dev/null", O_RDWR));
    SHOW(remove("s/.")); SHOW(remove("f/"));

    // A write to a place of a file that was opened for appending goes to its end all the same.
    int appending = open("f", O_RDWR | O_APPEND);
    SHOW(write(appending, "ab", 2) != 2); SHOW(pwrite(appending, "c", 1, 0) != 1);
    printf("%d\n", (int)lseek(appending, 0, SEEK_END));
    // What was made since a directory was opened shows when it is listed anew.
    DIR *directory = opendir("s");
    close(open("s/new", O_CREAT | O_WRONLY, 0600));
    rewinddir(directory);
    int n = 0;
    while (readdir(directory) != NULL) n++;
    printf("%d\n", n);
    closedir(directory);
    SHOW(unlink("s/new")); SHOW(rmdir("s/")); SHOW(rmdir("n")); SHOW(unlink("f")); SHOW(rmdir(folder));
    return 0;
}
