// A write just behind a global array would hit its neighbour.
//@ check --strategy exhaustive: bug out-of-bounds
static char name[4];
static char neighbour;

static void put(int position, char c)
{
    name[position] = c; //~ BUG out-of-bounds
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        put(i, 'x');
    return neighbour;
}
