// An LZ77-like compressor with a window, and its decompressor; the round trip is compared byte for byte.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A token is one literal byte after a zero, or the length of a match (3 to 255) and its 16-bit distance.
enum { SHORTEST = 3, LONGEST = 255, WINDOW = 4096 };

static size_t compress(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t o = 0;
	for (size_t i = 0; i < n;) {
		size_t best = 0, distance = 0;
		for (size_t d = 1; d <= i && d <= WINDOW; d++) {
			size_t length = 0;
			while (length < LONGEST && i + length < n && in[i + length] == in[i - d + length])
				length++;
			if (length > best) {
				best = length;
				distance = d;
			}
		}
		if (best >= SHORTEST) {
			out[o++] = (uint8_t)best;
			out[o++] = (uint8_t)distance;
			out[o++] = (uint8_t)(distance >> 8);
			i += best;
		} else {
			out[o++] = 0;
			out[o++] = in[i++];
		}
	}
	return o;
}

static size_t decompress(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t o = 0;
	for (size_t i = 0; i < n;) {
		if (in[i] == 0) {
			out[o++] = in[i + 1];
			i += 2;
			continue;
		}
		size_t distance = in[i + 1] | (size_t)in[i + 2] << 8;
		for (int k = 0; k < in[i]; k++, o++)
			out[o] = out[o - distance];
		i += 3;
	}
	return o;
}

static void round_trip(const char *name, const uint8_t *data, size_t n)
{
	uint8_t *packed = malloc(2 * n + 1), *unpacked = malloc(n + 1);
	size_t small = compress(data, n, packed), back = decompress(packed, small, unpacked);
	uint32_t sum = 0;
	for (size_t i = 0; i < small; i++)
		sum = sum * 31 + packed[i];
	printf("%s: %zu -> %zu -> %zu %s %08x\n", name, n, small, back, back == n && !memcmp(data, unpacked, n) ? "same" : "DIFFERENT", sum);
	free(packed);
	free(unpacked);
}

int main(void)
{
	const char *text = "she sells sea shells by the sea shore; the shells she sells are sea shells for sure";
	round_trip("text", (const uint8_t *)text, strlen(text));
	uint8_t data[600];
	memset(data, 'a', sizeof data);
	round_trip("run", data, sizeof data);
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof data; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (uint8_t)(x >> 24);
	}
	round_trip("noise", data, 300);
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i % 17 * (i % 5));
	round_trip("pattern", data, sizeof data);
	round_trip("nothing", data, 0);
	return 0;
}
