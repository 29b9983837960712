// strtol and its family: bases, prefixes, signs, limits, end pointers and errno; atoi, div, labs.
//@ native
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	static const char *const texts[] = { "0", "42", "-42", "  +17 tail", "0x1F", "0x", "0xg", "-0X7fZ", "017", "08", "zz", "Z1", "",
					     "   ", "-", "+-3", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
					     "-9223372036854775809", "18446744073709551615", "18446744073709551616", "-1",
					     "99999999999999999999999999", "11111111111111111111111111111111", "\t\n\v\f\r 5" };
	static const int bases[] = { 0, 2, 8, 10, 16, 36 };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		printf("\"%s\":", i == 25 ? "(white space)" : texts[i]);
		for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
			char *end, *unsigned_end;
			errno = 0;
			long value = strtol(texts[i], &end, bases[b]);
			int error = errno;
			errno = 0;
			unsigned long long large = strtoull(texts[i], &unsigned_end, bases[b]);
			printf(" %d:%ld,%td,%d,%llu,%td,%d", bases[b], value, end - texts[i], error, large, unsigned_end - texts[i], errno);
		}
		printf("\n");
	}
	printf("%d %ld %lld\n", atoi(" 12abc"), atol("-7"), atoll("123456789012345"));
	printf("%jd %ju\n", strtoimax("-77", NULL, 8), strtoumax("ff", NULL, 16));
	errno = 0;
	printf("%ld", strtol("5", NULL, 1));
	printf(" %d\n", errno == EINVAL);
	div_t d = div(-7, 2);
	ldiv_t l = ldiv(7, -2);
	lldiv_t ll = lldiv(-9000000000000, 7);
	imaxdiv_t m = imaxdiv(100, 9);
	printf("%d %d %ld %ld %lld %lld %jd %jd\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem, m.quot, m.rem);
	printf("%d %ld %lld %jd\n", abs(-5), labs(-6l), llabs(-7ll), imaxabs(-8));
	unsigned seed = 1;
	printf("%d", rand_r(&seed));
	printf(" %d %u\n", rand_r(&seed), seed);
	return 0;
}
