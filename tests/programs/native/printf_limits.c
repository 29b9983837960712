// `printf` with widths and precisions that are larger than an `int`, or that no `double` has digits for.
//@ native
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char text[200000];
static void show(const char *what, int n) {
    printf("%s %d %d\n", what, n, n < 0 ? errno : 0);
    errno = 0;
}
int main(void) {
    show("width", snprintf(text, 8, "%99999999999999999999d", 1));
    show("precision", snprintf(text, 8, "%.99999999999999999999d", 1));
    show("total", snprintf(text, 8, "ab%2147483647d", 1));
    show("string", snprintf(text, 8, "%.2147483648s", "abc"));
    show("g", snprintf(text, 64, "%.70000g", 1.5));
    puts(text);
    const char *formats[] = {"%.70000f", "%.70000e", "%#.70000g", "%.1200f", "%.1200e"};
    const double values[] = {1.5, 5e-324, 1.7976931348623157e308, 0.1, 0};
    for (int f = 0; f < 5; f++)
        for (int v = 0; v < 5; v++) {
            int n = snprintf(text, sizeof text, formats[f], values[v]);
            unsigned hash = 0;
            for (int i = 0; i < n; i++)
                hash = hash * 31 + (unsigned char)text[i];
            printf("%s %d %u %d\n", formats[f], n, hash, n == (int)strlen(text));
        }
    return 0;
}
