// basename and dirname over odd paths, network byte order, inet_addr, strerror and strsignal, rand_r.
//@ native
#include <arpa/inet.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	static const char *const paths[] = { "/usr/lib/libc.so", "/usr/", "usr", "/", "//", "///", ".", "..", "", "a/b//", "/a", "//a", "a//b" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		char one[32], two[32];
		strcpy(one, paths[i]);
		strcpy(two, paths[i]);
		printf("[%s] [%s] [%s]\n", paths[i], basename(one), dirname(two));
	}
	printf("%08x %04x %08x %04x\n", htonl(0x01020304), htons(0x0102), ntohl(0x0a000001), ntohs(80));
	static const char *const addresses[] = { "127.0.0.1", "1.2.3", "10.1", "0x7f.1", "0377.1.1.1", "256.1.1.1", "1.2.3.4.5", "junk", "", "1.2.3.4 tail", "4294967295" };
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
		printf("%s: %08x\n", addresses[i], ntohl(inet_addr(addresses[i])));
	static const int codes[] = { 0, EPERM, ENOENT, EAGAIN, ENOMEM, EINVAL, ERANGE, ETIMEDOUT, 41, 9999, -1 };
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		printf("%d: %s\n", codes[i], strerror(codes[i]));
	printf("%s, %s, %s\n", strsignal(SIGINT), strsignal(SIGSEGV), strsignal(99));
	errno = 0;
	char *end;
	unsigned long value = strtoul("99999999999999999999", &end, 10);
	printf("%d %s %d\n", value == (unsigned long)-1, strerror(errno), *end);
	return 0;
}
