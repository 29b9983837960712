// The product of two ints is computed as int, then widened: too late.
//@ check --strategy exhaustive --overflow: bug overflow
static long area(int width, int height)
{
    return width * height; //~ BUG overflow
}

int main(void)
{
    return area(100000, 100000) == 1;
}
