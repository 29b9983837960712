// memcpy, memmove in both directions, memset, memcmp over all small sizes and offsets; struct assignment; aliasing by bytes.
//@ native
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static uint32_t checksum(const void *p, size_t n)
{
	const unsigned char *bytes = p;
	uint32_t sum = 17;
	while (n--)
		sum = sum * 31 + *bytes++;
	return sum;
}

struct record {
	char name[10];
	double values[3];
	struct record *link;
	unsigned bits : 5;
};

int main(void)
{
	unsigned char buffer[64];
	uint32_t total = 0;
	for (size_t from = 0; from < 12; from++)
		for (size_t to = 0; to < 12; to++)
			for (size_t n = 0; n < 20; n++) {
				for (size_t i = 0; i < sizeof buffer; i++)
					buffer[i] = (unsigned char)i;
				memmove(buffer + to, buffer + from, n);
				total = total * 7 + checksum(buffer, sizeof buffer);
			}
	printf("%08x\n", total);
	memset(buffer, 0x15a, sizeof buffer);
	printf("%x %x\n", buffer[0], buffer[63]);
	memset(buffer + 10, 0, 0);
	bzero(buffer + 4, 8);
	bcopy(buffer, buffer + 2, 6);
	printf("%08x\n", checksum(buffer, 16));
	unsigned char other[64];
	memcpy(other, buffer, sizeof other);
	printf("%d %d ", memcmp(buffer, other, 64), bcmp(buffer, other, 64));
	other[63]++;
	printf("%d %d %d\n", memcmp(buffer, other, 64) < 0, memcmp(other, buffer, 64) > 0, memcmp(buffer, other, 63));
	struct record a, b;
	memset(&a, 0, sizeof a);
	strcpy(a.name, "record");
	a.values[1] = 2.5;
	a.link = &b;
	a.bits = 21;
	b = a;
	b.link->bits++;
	printf("%s %g %d %u %u\n", b.name, b.values[1], b.link == &b, a.bits, b.bits);
	struct record *p = &a;
	*p = *p->link;
	printf("%u %d\n", a.bits, a.link == &b);
	struct record *swap[2] = { &a, &b }, *pointers[2];
	memcpy(pointers, swap, sizeof swap);
	memcpy(&swap[0], &pointers[1], sizeof *swap);
	memcpy(&swap[1], &pointers[0], sizeof *swap);
	printf("%d %d\n", swap[0] == &b, swap[1]->bits);
	char bytes[sizeof(struct record *)];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = ((char *)&pointers[0])[i];
	struct record *rebuilt;
	memcpy(&rebuilt, bytes, sizeof rebuilt);
	printf("%s\n", rebuilt->name);
	uint64_t word = 0x0102030405060708;
	unsigned char *view = (unsigned char *)&word;
	printf("%u %u\n", view[0], view[7]);
	view[7] = 0xff;
	printf("%llx\n", (unsigned long long)word);
	return 0;
}
