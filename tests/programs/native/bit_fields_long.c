// Bit-fields in runs of more than 128 bits, which are one integer of the compiler's: read, written, signed, packed, copied.
//@ native
#include <stdio.h>

struct run {
    unsigned long a : 60, b : 60, c : 60, d : 12;
    signed long e : 50, f : 14;
};

struct __attribute__((packed)) tight {
    unsigned long a : 63, b : 63, c : 63;
    signed int d : 3;
};

static struct run shared = {1, 2, 3, 4, -5, 6};

static void print(const struct run *run)
{
    printf("%lu %lu %lu %u %ld %d\n", (unsigned long)run->a, (unsigned long)run->b, (unsigned long)run->c,
           (unsigned)run->d, (long)run->e, (int)run->f);
}

int main(void)
{
    struct run local = shared;
    print(&local);
    local.b = ~0ul;
    local.c += 1ul << 59;
    local.e = -(1l << 49);
    local.f--;
    print(&local);
    for (int n = 0; n < 70; n++) {
        local.a = local.a * 6364136223846793005ul + n;
        local.d += local.a >> 50;
        local.e ^= local.b >> n % 60;
    }
    print(&local);
    struct tight tight[2] = {{0}};
    tight[1].b = 0x7edcba9876543210ul;
    tight[1].d = -4;
    tight[0].c = tight[1].b >> 3;
    printf("%zu %lx %lx %lx %d\n", sizeof tight, (unsigned long)tight[0].c, (unsigned long)tight[1].a,
           (unsigned long)tight[1].b, tight[1].d);
    print(&shared);
    return 0;
}
