// Descriptors: open flags, read, write, lseek, dup, close, unlink, and errno of each failure.
//@ native
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *name = "native_descriptor.tmp";

int main(void)
{
	unlink(name);
	int fd = open(name, O_RDONLY);
	printf("missing: %d %s\n", fd, strerror(errno));
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	printf("create: %d\n", fd >= 0);
	printf("again: %d %s\n", open(name, O_RDWR | O_CREAT | O_EXCL, 0600), strerror(errno));
	printf("write %zd\n", write(fd, "0123456789", 10));
	printf("seek %ld\n", (long)lseek(fd, 3, SEEK_SET));
	char buffer[32] = "";
	ssize_t n = read(fd, buffer, 4);
	printf("read %zd [%.*s]\n", n, (int)n, buffer);
	printf("seek %ld\n", (long)lseek(fd, -2, SEEK_END));
	n = read(fd, buffer, sizeof buffer);
	printf("read %zd [%.*s]\n", n, (int)n, buffer);
	printf("read at end %zd\n", read(fd, buffer, sizeof buffer));
	printf("seek %ld\n", (long)lseek(fd, 12, SEEK_SET));
	printf("write %zd\n", write(fd, "XY", 2));
	lseek(fd, 0, SEEK_SET);
	n = read(fd, buffer, sizeof buffer);
	printf("read %zd hole %d %d tail %.2s\n", n, buffer[10], buffer[11], buffer + 12);
	printf("bad seek %ld %s\n", (long)lseek(fd, -1, SEEK_SET), strerror(errno));

	int copy = dup(fd);
	lseek(fd, 5, SEEK_SET);
	n = read(copy, buffer, 2);
	printf("shared offset [%.*s]\n", (int)n, buffer);
	printf("close %d %d\n", close(fd), close(copy));
	printf("closed: %zd %s\n", read(fd, buffer, 1), strerror(errno));
	printf("close again: %d %s\n", close(fd), strerror(errno));

	fd = open(name, O_WRONLY | O_APPEND);
	printf("append %zd\n", write(fd, "tail", 4));
	printf("write only: %zd %s\n", read(fd, buffer, 1), strerror(errno));
	close(fd);
	fd = open(name, O_RDONLY);
	printf("size %ld\n", (long)lseek(fd, 0, SEEK_END));
	printf("read only: %zd %s\n", write(fd, "x", 1), strerror(errno));
	close(fd);
	fd = open(name, O_RDWR | O_TRUNC);
	printf("truncated %ld\n", (long)lseek(fd, 0, SEEK_END));
	close(fd);
	printf("unlink %d\n", unlink(name));
	printf("unlink %d %s\n", unlink(name), strerror(errno));
	fflush(stdout);
	return write(STDOUT_FILENO, "plain write\n", 12) == 12 ? 0 : 1;
}
