// An index beyond a local array reads whatever lies next to it.
//@ check --strategy exhaustive: bug out-of-bounds
static int at(const int *array, int index)
{
    return array[index]; //~ BUG out-of-bounds
}

int main(void)
{
    volatile int index = 3;
    int array[3] = {1, 2, 3};
    return at(array, index) == 3;
}
