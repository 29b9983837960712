// A block's variable is gone at the end of the block, long before the function returns.
//@ check --strategy exhaustive: bug use-after-free
static int *kept;

static void set(int *p)
{
    kept = p;
    *kept = 2;
}

int main(void)
{
    {
        int inner = 1;
        set(&inner);
    }
    return *kept; //~ BUG use-after-free
}
