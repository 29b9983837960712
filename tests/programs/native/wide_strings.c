// Wide characters and strings: wchar.h basics, literals, escapes, char16_t and char32_t, UTF-8 by hand.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <uchar.h>
#include <wchar.h>

static void show(const wchar_t *s)
{
	for (; *s; s++)
		printf("%lx ", (unsigned long)*s);
	printf("\n");
}

static int encode(uint32_t c, unsigned char *out)
{
	if (c < 0x80) {
		out[0] = (unsigned char)c;
		return 1;
	}
	int extra = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	for (int i = extra; i > 0; i--, c >>= 6)
		out[i] = (unsigned char)(0x80 | (c & 0x3f));
	out[0] = (unsigned char)(0xf00 >> extra | c);
	return extra + 1;
}

int main(void)
{
	wchar_t a[32] = L"héllo", b[32];
	printf("%zu %zu\n", wcslen(a), sizeof(wchar_t));
	show(wcscpy(b, a));
	wmemset(b, L'x', 4);
	show(b);
	wcsncpy(b, L"\u20ac\U0001f600", 8);
	show(b);
	printf("%d %d\n", b[2] == 0, b[7] == 0);
	wmemcpy(b, a, 6);
	printf("%d %d %d\n", wcscmp(a, b), wcscmp(L"a", L"b") < 0, wcscmp(L"abc", L"ab") > 0);
	printf("%td %d\n", wcschr(a, L'l') - a, wcschr(a, L'z') == NULL);
	static const char16_t u16[] = u"a\u20ac\U0001f600";
	static const char32_t u32[] = U"a\u20ac\U0001f600";
	for (unsigned i = 0; i < sizeof u16 / sizeof *u16; i++)
		printf("%x ", (unsigned)u16[i]);
	printf("\n");
	for (unsigned i = 0; i < sizeof u32 / sizeof *u32 - 1; i++) {
		unsigned char bytes[4];
		int n = encode(u32[i], bytes);
		for (int k = 0; k < n; k++)
			printf("%02x", bytes[k]);
		printf(" ");
	}
	const char *utf8 = u8"€";
	printf("%02x%02x%02x\n", (unsigned char)utf8[0], (unsigned char)utf8[1], (unsigned char)utf8[2]);
	return 0;
}
