// Files beyond the basics: all fopen modes, positions, pushed back characters, freopen, fdopen, dup2, truncate, stat, directories, temporary files.
//@ native
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void dump(const char *name)
{
	FILE *f = fopen(name, "r");
	if (!f) {
		printf("%s: %s\n", name, strerror(errno));
		return;
	}
	int c;
	printf("%s: <", name);
	while ((c = fgetc(f)) != EOF)
		putchar(c == '\n' ? '$' : c);
	printf("> %d %d\n", feof(f) != 0, ferror(f) != 0);
	fclose(f);
}

static void modes(void)
{
	static const char *all[] = { "r", "r+", "w", "w+", "a", "a+", "wx", "rb", "w+b", "q", "" };
	char buffer[16];
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		for (int exists = 0; exists < 2; exists++) {
			remove("m.tmp");
			if (exists) {
				FILE *f = fopen("m.tmp", "w");
				fputs("0123456789", f);
				fclose(f);
			}
			errno = 0;
			FILE *f = fopen("m.tmp", all[i]);
			printf("%s/%d: %d %s ", all[i], exists, f != NULL, f ? "" : strerror(errno));
			if (f) {
				printf("at %ld ", ftell(f));
				size_t n = fread(buffer, 1, 3, f);
				printf("read %zu error %d ", n, ferror(f) != 0);
				clearerr(f);
				fseek(f, 0, SEEK_CUR);
				printf("at %ld write %d ", ftell(f), fputs("XY", f) >= 0 && fflush(f) == 0);
				clearerr(f);
				fclose(f);
			}
			printf("\n");
			dump("m.tmp");
		}
	}
	remove("m.tmp");
}

static void pushing(void)
{
	FILE *f = fopen("p.tmp", "w+");
	fputs("hello\nworld", f);
	rewind(f);
	int c = getc(f);
	printf("%c", c);
	ungetc('J', f);
	printf(" %ld ", ftell(f));
	printf("%c%c ", getc(f), getc(f));
	ungetc('x', f);
	fseek(f, 1, SEEK_CUR);
	printf("%c ", getc(f));
	ungetc('q', f);
	char line[20];
	printf("[%s] ", fgets(line, sizeof line, f));
	while (getc(f) != EOF)
		;
	printf("eof %d ", feof(f) != 0);
	ungetc('z', f);
	printf("eof %d %c %d %d\n", feof(f) != 0, getc(f), getc(f), feof(f) != 0);
	printf("ungetc(EOF) %d\n", ungetc(EOF, f));
	fpos_t place;
	rewind(f);
	getc(f);
	fgetpos(f, &place);
	fgets(line, 3, f);
	fsetpos(f, &place);
	printf("%c %d\n", getc(f), fseek(f, -100, SEEK_SET));
	printf("%s\n", strerror(errno));
	fseek(f, 20, SEEK_SET);
	fputc('!', f);
	printf("end %ld\n", ftell(f));
	fclose(f);
	struct stat st;
	printf("stat %d %ld %d\n", stat("p.tmp", &st), (long)st.st_size, S_ISREG(st.st_mode));
	printf("truncate %d\n", truncate("p.tmp", 3));
	dump("p.tmp");
	f = freopen("p.tmp", "a", fopen("other.tmp", "w"));
	fprintf(f, "-%d-", 42);
	printf("fileno %d\n", fileno(f) > 2);
	fclose(f);
	dump("p.tmp");
	dump("other.tmp");
	printf("rename %d %d %s\n", rename("p.tmp", "other.tmp"), rename("p.tmp", "x"), strerror(errno));
	dump("other.tmp");
	printf("access %d %d\n", access("other.tmp", F_OK), access("p.tmp", F_OK));
	remove("other.tmp");
}

static void numbers(void)
{
	int fd = open("n.tmp", O_RDWR | O_CREAT | O_TRUNC, 0644);
	FILE *f = fdopen(fd, "w");
	fprintf(f, "abc");
	fflush(f);
	printf("pwrite %zd", pwrite(fd, "ZZ", 2, 1));
	char buffer[32] = "";
	printf(" pread %zd %s", pread(fd, buffer, 10, 0), buffer);
	struct iovec parts[2] = { { "one", 3 }, { "two", 3 } };
	printf(" writev %zd", writev(fd, parts, 2));
	printf(" at %ld\n", (long)lseek(fd, 0, SEEK_CUR));
	int saved = dup(1);
	fflush(stdout);
	dup2(fd, 1);
	printf("to the file\n");
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	printf("ftruncate %d\n", ftruncate(fd, 9));
	fclose(f);
	dump("n.tmp");
	printf("%d %s\n", ftruncate(fd, 1), strerror(errno));
	printf("%d %s\n", open("missing/n.tmp", O_CREAT | O_WRONLY, 0600), strerror(errno));
	printf("%d %s\n", open("n.tmp/x", O_RDONLY), strerror(errno));
	unlink("n.tmp");
	int ends[2];
	printf("pipe %d ", pipe(ends));
	printf("%zd ", write(ends[1], "through", 7));
	printf("%zd ", read(ends[0], buffer, 4));
	close(ends[1]);
	printf("%zd ", read(ends[0], buffer, 9));
	printf("%zd ", read(ends[0], buffer, 9));
	printf("seek %ld %s\n", (long)lseek(ends[0], 0, SEEK_SET), strerror(errno));
	close(ends[0]);
	fd = open("/dev/null", O_RDWR);
	printf("null %zd %zd\n", write(fd, "x", 1), read(fd, buffer, 1));
	close(fd);
	FILE *t = tmpfile();
	fprintf(t, "temporary %d", 7);
	rewind(t);
	printf("%d %s\n", fscanf(t, "%9s", buffer), buffer);
	fclose(t);
}

static void directories(void)
{
	printf("mkdir %d %d %s\n", mkdir("d.tmp", 0755), mkdir("d.tmp", 0755), strerror(errno));
	fclose(fopen("d.tmp/b", "w"));
	fclose(fopen("d.tmp/a", "w"));
	mkdir("d.tmp/sub", 0755);
	DIR *d = opendir("d.tmp");
	int n = 0, dirs = 0;
	for (struct dirent *e; (e = readdir(d));) {
		n++;
		dirs += e->d_type == DT_DIR;
	}
	printf("%d entries %d directories\n", n, dirs);
	closedir(d);
	printf("rmdir %d %s\n", rmdir("d.tmp"), strerror(errno));
	struct stat st;
	printf("%d %d\n", stat("d.tmp/sub", &st), S_ISDIR(st.st_mode));
	printf("chdir %d\n", chdir("d.tmp"));
	dump("a");
	dump("../d.tmp/./b");
	char cwd[4096];
	printf("%s\n", strrchr(getcwd(cwd, sizeof cwd), '/'));
	printf("%d\n", chdir(".."));
	printf("%d %d %d %d\n", remove("d.tmp/a"), unlink("d.tmp/b"), rmdir("d.tmp/sub"), remove("d.tmp"));
	printf("%s %s\n", opendir("d.tmp") ? "open" : "null", strerror(errno));
	printf("unlink directory %d\n", fopen(".", "w") == NULL);
	printf("%d %s\n", fopen("/", "w") == NULL, strerror(errno));
}

int main(void)
{
	modes();
	pushing();
	numbers();
	directories();
	printf("closed %d %d\n", close(77), errno == EBADF);
	return 0;
}
