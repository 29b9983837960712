// Sorting N unknown numbers by insertion. The i-th number can come to i places among those before it, so there are N! paths, and all of
// them can be gone. With TIES it is also asked which neighbours are equal: that tells apart all weak orders of N numbers, and there are
// as many paths as those: 1, 3, 13, 75, 541, 4683 (Fubini numbers).
//@ check --cflag=-DN=1: safe executions=1 blocked=0
//@ check --cflag=-DN=4: safe executions=24 blocked=0
//@ check --cflag=-DN=5: safe executions=120 blocked=0
//@ check --cflag=-DN=6: safe executions=720 blocked=0
//@ check --cflag=-DN=3 --cflag=-DTIES: safe executions=13 blocked=0
//@ check --cflag=-DN=4 --cflag=-DTIES: safe executions=75 blocked=0
//@ check --cflag=-DN=5 --cflag=-DTIES: safe executions=541 blocked=0
#include <assert.h>
#include <gordian.h>

#ifndef N
#define N 4
#endif

static void sort(int *numbers, int n)
{
    for (int i = 1; i < n; i++) {
        int moved = numbers[i], place = i;
        while (place > 0 && numbers[place - 1] > moved) {
            numbers[place] = numbers[place - 1];
            place--;
        }
        numbers[place] = moved;
    }
}

int main(void)
{
    int numbers[N], different = 1;
    gordian_symbolic(numbers, sizeof numbers, "numbers");
    sort(numbers, N);
    for (int i = 1; i < N; i++)
        assert(numbers[i - 1] <= numbers[i]);
#ifdef TIES
    for (int i = 1; i < N; i++)
        if (numbers[i - 1] != numbers[i])
            different++;
#endif
    assert(1 <= different && different <= N);
    return 0;
}
