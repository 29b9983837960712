// printf: every integer conversion, length modifier, flag, width and precision.
//@ native
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#pragma clang diagnostic ignored "-Wformat" // redundant flags are part of the test

int main(void)
{
	static const int values[] = { 0, 1, -1, 42, -42, INT_MAX, INT_MIN };
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		int v = values[i];
		printf("[%d] [%i] [%u] [%o] [%x] [%X]\n", v, v, (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v);
		printf("[%12d] [%-12d] [%012d] [%+d] [% d] [%+12d] [%-+12d]\n", v, v, v, v, v, v, v);
		printf("[%.0d] [%.1d] [%.15d] [%20.15d] [%-20.15d] [%020.5d]\n", v, v, v, v, v, v);
		printf("[%#o] [%#x] [%#X] [%#14x] [%#014x] [%-#14x|] [%#.12x]\n", (unsigned)v, (unsigned)v, (unsigned)v,
		       (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v);
	}
	printf("[%hhd] [%hhu] [%hd] [%hu] [%hhx]\n", (signed char)-1, (unsigned char)200, (short)-30000, (unsigned short)60000,
	       (unsigned char)0xab);
	printf("[%ld] [%lu] [%lx] [%lo]\n", LONG_MIN, ULONG_MAX, ULONG_MAX, 1ul << 63);
	printf("[%lld] [%llu] [%llX]\n", LLONG_MAX, ULLONG_MAX, 0xdeadbeefcafell);
	printf("[%jd] [%ju] [%zd] [%zu] [%td]\n", INTMAX_MIN, UINTMAX_MAX, (ptrdiff_t)-7, sizeof(long), (ptrdiff_t)-9);
	printf("[%" PRId64 "] [%" PRIu32 "] [%" PRIx16 "] [%" PRIo8 "]\n", INT64_MIN, UINT32_MAX, (uint16_t)0xbeef, (uint8_t)0377);
	printf("[%*d] [%-*d] [%*d] [%.*d] [%*.*d] [%.*d]\n", 8, 42, 8, 42, -8, 42, 5, 42, 9, 4, 42, -3, 42);
	printf("[%#.0o] [%#.0x] [%.0u] [%+.0d] [% .0d]\n", 0u, 0u, 0u, 0, 0);
	printf("[%+05d] [% 05d] [%-05d] [%+-8d|] [%+ d]\n", 7, 7, 7, 7, 7);
	int so_far = 0, at_end = 0;
	int n = printf("abc%ndef %d%n\n", &so_far, 12345, &at_end);
	printf("%d %d %d\n", so_far, at_end, n);
	printf("100%% [%c] [%5c] [%-5c] [%%]\n", 'x', 'y', 'z');
	return 0;
}
