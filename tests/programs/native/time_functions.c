// time.h with fixed instants: gmtime, timegm, mktime in UTC, strftime of every plain conversion, asctime, difftime, leap years.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	static const time_t instants[] = { 0, 1, 86399, 86400, 951782400, 1078012800, 1234567890, 1700000000, 2147483647, 4102444800, -1, -2208988800 };
	for (unsigned i = 0; i < sizeof instants / sizeof *instants; i++) {
		struct tm parts;
		gmtime_r(&instants[i], &parts);
		char text[128];
		size_t n = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %W %u %w %y %C %e %I %p %D %F %T %R %G %V %g%n%t%%", &parts);
		printf("%ld: [%s] %zu\n", (long)instants[i], text, n);
		printf("  %d %d %d %d %d\n", parts.tm_wday, parts.tm_yday, parts.tm_year, timegm(&parts) == instants[i], mktime(&parts) == instants[i]);
	}
	struct tm odd = { .tm_year = 124, .tm_mon = 13, .tm_mday = 35, .tm_hour = 25, .tm_min = -1, .tm_sec = 3600 };
	time_t normal = mktime(&odd);
	printf("%ld %d-%d-%d %d:%d:%d\n", (long)normal, odd.tm_year, odd.tm_mon, odd.tm_mday, odd.tm_hour, odd.tm_min, odd.tm_sec);
	char buffer[32];
	printf("%s", asctime_r(gmtime(&instants[6]), buffer));
	printf("%s", ctime_r(&instants[4], buffer));
	printf("%g\n", difftime(instants[7], instants[6]));
	struct tm *local = localtime(&instants[7]);
	printf("%d %d\n", local->tm_hour, local->tm_isdst);
	char small[5];
	printf("%zu\n", strftime(small, sizeof small, "%Y-%m", local));
	printf("%zu %s\n", strftime(small, sizeof small, "%H%M", local), small);
	return 0;
}
