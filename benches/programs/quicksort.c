// Quicksort of pseudo-random numbers: recursion, comparisons, swaps.
enum { N = 100000 };
static int numbers[N];

static void sort(int *from, int *to)
{
    while (to - from > 1) {
        int pivot = from[(to - from) / 2];
        int *low = from, *high = to - 1;
        while (low <= high) {
            while (*low < pivot)
                low++;
            while (*high > pivot)
                high--;
            if (low <= high) {
                int other = *low;
                *low++ = *high;
                *high-- = other;
            }
        }
        sort(from, high + 1);
        from = low;
    }
}

int main(void)
{
    unsigned state = 12345;
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = (int)(state >> 8);
    }
    sort(numbers, numbers + N);
    unsigned sum = 0;
    for (int i = 1; i < N; i++)
        sum = sum * 31 + (unsigned)(numbers[i] - numbers[i - 1] >= 0) + (unsigned)numbers[i];
    return (int)(sum % 101);
}
