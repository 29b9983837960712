// The array is filled only as far as there is input.
//@ check --strategy exhaustive --uninit: bug uninitialised
static void fill(int *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = i;
}

int main(void)
{
    int values[4], positive = 0;
    fill(values, 3);
    for (int i = 0; i < 4; i++)
        if (values[i] > 0) //~ BUG uninitialised
            positive++;
    return positive > 4;
}
