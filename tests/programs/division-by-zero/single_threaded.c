// The average of nothing.
//@ check --strategy exhaustive: bug division-by-zero
static int average(const int *values, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum / n; //~ BUG division-by-zero
}

int main(void)
{
    int values[2] = {4, 6};
    return average(values, 2) - 5 + average(values, 0);
}
