// All types of inputs that the software verification competition has.
//@ check: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
extern _Bool __VERIFIER_nondet_bool(void);
extern __int128 __VERIFIER_nondet_int128(void);
extern unsigned __int128 __VERIFIER_nondet_uint128(void);
extern loff_t __VERIFIER_nondet_loff_t(void);
extern char *__VERIFIER_nondet_pchar(void);
extern pthread_t __VERIFIER_nondet_pthread_t(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern unsigned __VERIFIER_nondet_u32(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void __VERIFIER_nondet_memory(void *, size_t);
int main(void) {
    struct { char a; int b; } memory;
    __VERIFIER_nondet_memory(&memory, sizeof memory);
    __int128 wide = __VERIFIER_nondet_int128();
    unsigned __int128 unsigned_wide = __VERIFIER_nondet_uint128();
    if (__VERIFIER_nondet_bool() && __VERIFIER_nondet_loff_t() == -7 && __VERIFIER_nondet_pchar() &&
        __VERIFIER_nondet_pthread_t() == 12 && __VERIFIER_nondet_sector_t() == 1ul << 63 && __VERIFIER_nondet_size_t() == 9 &&
        __VERIFIER_nondet_u32() == 1u << 31 && __VERIFIER_nondet_ulonglong() == ~0ull && memory.a == 'x' && memory.b == -123456)
        assert(wide != -((__int128)1 << 90) || unsigned_wide != ((unsigned __int128)3 << 126)); //~ BUG assertion
    return 0;
}
