// Flags that make no sense end with a clear message before anything runs.
//@ check --unroll 0: usage
//@ check --strategy nonsense: usage
//@ check --strategy random --runs many: usage
//@ check --strategy random --no-such-flag: usage
//@ check --symmetry --strategy random: usage
//@ check --symmetry --estimate: usage
//@ check --symmetry --resume: usage
//@ check --symmetry --preemptions 2: usage
//@ check --max-interferences 2: usage
//@ check --strategy interference --preemptions 2: usage
//@ check --strategy interference --resume: usage
//@ check --observers --strategy random: usage
//@ check --observers --estimate: usage
//@ check --observers --resume: usage
//@ check --observers --symmetry: usage
int main(void)
{
    return 0;
}
