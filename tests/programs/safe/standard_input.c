// Standard input comes from the test, word by word, and ends.
//@ check --strategy exhaustive: safe
//@ stdin: "3 4\n5\n"
#include <assert.h>
#include <stdio.h>

int main(void)
{
    int sum = 0, n;
    while (scanf("%d", &n) == 1)
        sum += n;
    printf("sum %d\n", sum);
    assert(sum == 12);
    assert(feof(stdin));
    return 0;
}
