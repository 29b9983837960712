// Flags that make the compiler do something else than compile.
//@ check --cflag=-fsyntax-only: usage
//@ check --cflag=--version: usage
//@ check --cflag=-E: usage
int main(void)
{
    return 0;
}
