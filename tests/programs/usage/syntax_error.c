// A program that does not compile is bad input, not a finding.
//@ check --strategy exhaustive: usage
int main(void)
{
    return 0
}
