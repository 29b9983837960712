// Atomics of every width, signed, bool and pointer: arithmetic wraps, pointers step by their element's size.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

int main(void)
{
    static int array[4];
    atomic_schar c = 127;
    atomic_ushort s = 0;
    atomic_ullong l = UINT64_MAX;
    atomic_bool b = false;
    _Atomic(int *) p = array;
    assert(atomic_fetch_add(&c, 1) == 127 && atomic_load(&c) == -128);
    assert(atomic_fetch_sub(&s, 1) == 0 && atomic_load(&s) == 0xffff);
    assert(atomic_fetch_add(&l, 2) == UINT64_MAX && atomic_load(&l) == 1);
    assert(!atomic_exchange(&b, true) && atomic_load(&b));
    assert(atomic_fetch_add(&p, 3) == array && atomic_load(&p) == &array[3]);
    assert(--p == &array[2]);
    return 0;
}
