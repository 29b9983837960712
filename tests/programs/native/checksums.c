// CRC-32 by table and bit by bit, Adler-32, MD5 (RFC 1321), with the published check values.
//@ native
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t table[256];

static void make_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
		table[i] = c;
	}
}

static uint32_t crc32(const char *s, size_t n)
{
	uint32_t c = ~0u;
	while (n--)
		c = table[(c ^ (uint8_t)*s++) & 0xff] ^ c >> 8;
	return ~c;
}

static uint16_t crc16_ccitt(const char *s)
{
	uint16_t c = 0xffff;
	for (; *s; s++) {
		c ^= (uint16_t)((uint8_t)*s << 8);
		for (int bit = 0; bit < 8; bit++)
			c = (uint16_t)(c & 0x8000 ? c << 1 ^ 0x1021 : c << 1);
	}
	return c;
}

static uint32_t adler32(const char *s)
{
	uint32_t a = 1, b = 0;
	for (; *s; s++) {
		a = (a + (uint8_t)*s) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

static void md5(const char *message)
{
	static const int shifts[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
	uint32_t h[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	size_t length = strlen(message), padded = (length + 8) / 64 * 64 + 64;
	uint8_t *data = calloc(1, padded);
	memcpy(data, message, length);
	data[length] = 0x80;
	uint64_t bits = length * 8;
	memcpy(data + padded - 8, &bits, 8);
	for (size_t at = 0; at < padded; at += 64) {
		uint32_t x[16], a = h[0], b = h[1], c = h[2], d = h[3];
		memcpy(x, data + at, 64);
		for (int i = 0; i < 64; i++) {
			uint32_t f;
			int g;
			switch (i / 16) {
			case 0:
				f = (b & c) | (~b & d), g = i;
				break;
			case 1:
				f = (b & d) | (c & ~d), g = (5 * i + 1) % 16;
				break;
			case 2:
				f = b ^ c ^ d, g = (3 * i + 5) % 16;
				break;
			default:
				f = c ^ (b | ~d), g = 7 * i % 16;
			}
			uint32_t sum = a + f + x[g] + (uint32_t)(int64_t)(fabs(sin(i + 1)) * 4294967296.0);
			int s = shifts[i / 16][i % 4];
			a = d, d = c, c = b;
			b += sum << s | sum >> (32 - s);
		}
		h[0] += a, h[1] += b, h[2] += c, h[3] += d;
	}
	const uint8_t *out = (const uint8_t *)h;
	for (int i = 0; i < 16; i++)
		printf("%02x", out[i]);
	printf("\n");
	free(data);
}

int main(void)
{
	make_table();
	const char *check = "123456789";
	printf("%08x %04x %08x\n", crc32(check, 9), crc16_ccitt(check), adler32("Wikipedia"));
	printf("%08x %08x\n", crc32("", 0), crc32("\0\0\0\0", 4));
	md5("");
	md5("message digest");
	md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890");
	return 0;
}
