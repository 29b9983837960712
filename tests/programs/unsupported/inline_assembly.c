// Inline assembly has no meaning in the bitcode machine: the verdict says so instead of guessing.
//@ check --strategy exhaustive: inconclusive
int main(void)
{
    unsigned result = 1;
    __asm__ volatile("addl $1, %0" : "+r"(result));
    return result != 2;
}
