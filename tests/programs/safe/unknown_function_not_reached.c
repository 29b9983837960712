// A declared function without a body that no execution calls is no obstacle; neither is an empty assembly barrier.
//@ check --strategy exhaustive: safe
extern void never_called(void);

int main(int argc, char **argv)
{
    (void)argv;
    __asm__ volatile("" ::: "memory");
    if (argc > 100)
        never_called();
    return 0;
}
