#include "part.h"

#include <stdlib.h>

struct part *split_at_lines(const char *text, long length, int n)
{
    struct part *parts = calloc((size_t)n, sizeof *parts);
    long begin = 0;
    if (parts == NULL)
        abort();
    for (int i = 0; i < n; i++) {
        long end = i == n - 1 ? length : length * (i + 1) / n;
        if (end < begin)
            end = begin;
        while (end < length && end > 0 && text[end - 1] != '\n')
            end++;
        parts[i] = (struct part){begin, end};
        begin = end;
    }
    return parts;
}
