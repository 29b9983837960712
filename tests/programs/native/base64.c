// Base64 (RFC 4648) both ways with all remainders and bad input, hexadecimal, run lengths.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode(const uint8_t *in, size_t n)
{
	char *out = malloc((n + 2) / 3 * 4 + 1), *o = out;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t group = (uint32_t)in[i] << 16;
		if (i + 1 < n)
			group |= (uint32_t)in[i + 1] << 8;
		if (i + 2 < n)
			group |= in[i + 2];
		*o++ = alphabet[group >> 18];
		*o++ = alphabet[group >> 12 & 63];
		*o++ = i + 1 < n ? alphabet[group >> 6 & 63] : '=';
		*o++ = i + 2 < n ? alphabet[group & 63] : '=';
	}
	*o = 0;
	return out;
}

static long decode(const char *in, uint8_t *out)
{
	uint32_t group = 0;
	int bits = 0;
	long n = 0;
	for (; *in && *in != '='; in++) {
		const char *found = strchr(alphabet, *in);
		if (!found)
			return -1;
		group = group << 6 | (uint32_t)(found - alphabet);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[n++] = (uint8_t)(group >> bits);
		}
	}
	return in[strspn(in, "=")] ? -1 : n;
}

static void hexadecimal(const uint8_t *in, long n)
{
	for (long i = 0; i < n; i++)
		printf("%02x", in[i]);
	printf("\n");
}

int main(void)
{
	static const char *const texts[] = { "", "f", "fo", "foo", "foob", "fooba", "foobar", "any carnal pleas" };
	uint8_t out[64];
	for (int i = 0; i < 8; i++) {
		char *code = encode((const uint8_t *)texts[i], strlen(texts[i]));
		long n = decode(code, out);
		printf("[%s] %ld [%.*s]\n", code, n, (int)n, (char *)out);
		free(code);
	}
	uint8_t bytes[48];
	for (int i = 0; i < 48; i++)
		bytes[i] = (uint8_t)(i * 5 + 251);
	char *code = encode(bytes, 48);
	long n = decode(code, out);
	printf("%s\n%d\n", code, n == 48 && !memcmp(bytes, out, 48));
	hexadecimal(out, n);
	free(code);
	printf("%ld %ld\n", decode("Zm9v!", out), decode("Zg=a", out));
	return 0;
}
