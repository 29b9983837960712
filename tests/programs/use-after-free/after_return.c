// The address of a local variable outlives the call.
//@ check --strategy exhaustive: bug use-after-free
static int *kept;

static void remember(int value)
{
    int local = value;
    kept = &local;
    ++*kept;
}

int main(void)
{
    remember(4);
    return *kept == 5; //~ BUG use-after-free
}
