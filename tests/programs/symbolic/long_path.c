// Ten thousand branches on one path: bytes that are compared one after the other, none of which differs on it, and one more execution
// for each place where they first do. Only some of those are made here.
//@ check --runs 3 --max-steps 20000: bounded
void gordian_symbolic(void *place, unsigned long size, const char *name);

int main(void)
{
    static char text[10000];
    gordian_symbolic(text, sizeof text, "text");
    unsigned i = 0;
    while (i < sizeof text && text[i] == 0)
        i++;
    return i < sizeof text;
}
