// There is nothing to run without main.
//@ check --strategy exhaustive: usage
int not_main(void)
{
    return 0;
}
