// Byte order, and Internet addresses in numbers and dots.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define API __attribute__((weak))

#undef htonl
#undef htons
#undef ntohl
#undef ntohs

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "network order is the other one");

static uint32_t swap32(uint32_t x)
{
	return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

static uint16_t swap16(uint16_t x)
{
	return (uint16_t)(x << 8 | x >> 8);
}

API uint32_t htonl(uint32_t host)
{
	return swap32(host);
}

API uint32_t ntohl(uint32_t net)
{
	return swap32(net);
}

API uint16_t htons(uint16_t host)
{
	return swap16(host);
}

API uint16_t ntohs(uint16_t net)
{
	return swap16(net);
}

// One to four numbers, each decimal, octal or hexadecimal; the last fills all the bytes that are left.
static int parse_address(const char *text, uint32_t *address)
{
	uint32_t leading = 0;
	int saved = errno;
	for (int parts = 1; parts <= 4; parts++) {
		char *end;
		if (*text < '0' || *text > '9')
			return 0;
		errno = 0;
		unsigned long number = strtoul(text, &end, 0);
		int too_large = errno == ERANGE;
		errno = saved;
		if (too_large || number > UINT32_MAX)
			return 0;
		if (*end == '.') {
			if (parts == 4 || number > 255)
				return 0;
			leading |= (uint32_t)number << (32 - 8 * parts);
			text = end + 1;
			continue;
		}
		if (*end && *end != ' ' && !(*end >= '\t' && *end <= '\r'))
			return 0;
		if (number > UINT32_MAX >> (8 * (parts - 1)))
			return 0;
		*address = swap32(leading | (uint32_t)number);
		return 1;
	}
	return 0;
}

API int inet_aton(const char *text, struct in_addr *address)
{
	uint32_t parsed;
	if (!parse_address(text, &parsed))
		return 0;
	if (address)
		address->s_addr = parsed;
	return 1;
}

API in_addr_t inet_addr(const char *text)
{
	uint32_t parsed;
	return parse_address(text, &parsed) ? parsed : INADDR_NONE;
}

static _Thread_local char dotted[16];

API char *inet_ntoa(struct in_addr address)
{
	uint32_t host = swap32(address.s_addr);
	snprintf(dotted, sizeof dotted, "%u.%u.%u.%u", host >> 24, host >> 16 & 255, host >> 8 & 255, host & 255);
	return dotted;
}
