// Sets of signals: signal.h. As in glibc 2.36, only the first word of a set is used.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <errno.h>
#include <signal.h>

#define API __attribute__((weak))

// Two signals belong to the thread library.
#define RESERVED (3ul << 31)

API int sigemptyset(sigset_t *set)
{
	set->__val[0] = 0;
	return 0;
}

API int sigfillset(sigset_t *set)
{
	set->__val[0] = ~RESERVED;
	return 0;
}

// The bit of a signal, 0 if there is none with that number.
static unsigned long bit_of(int signal)
{
	unsigned long bit = signal >= 1 && signal <= 64 ? 1ul << (signal - 1) : 0;
	if (bit == 0 || bit & RESERVED) {
		errno = EINVAL;
		return 0;
	}
	return bit;
}

API int sigaddset(sigset_t *set, int signal)
{
	unsigned long bit = bit_of(signal);
	if (bit == 0)
		return -1;
	set->__val[0] |= bit;
	return 0;
}

API int sigdelset(sigset_t *set, int signal)
{
	unsigned long bit = bit_of(signal);
	if (bit == 0)
		return -1;
	set->__val[0] &= ~bit;
	return 0;
}

// The reserved ones can be asked for.
API int sigismember(const sigset_t *set, int signal)
{
	if (signal < 1 || signal > 64) {
		errno = EINVAL;
		return -1;
	}
	return set->__val[0] >> (signal - 1) & 1;
}
