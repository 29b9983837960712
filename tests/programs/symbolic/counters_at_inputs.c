// Counters at places that inputs decide: each depends on its own history alone.
//@ check: bug assertion
#include <assert.h>
#include <gordian.h>
#define N 20
int main(void) {
    unsigned count[16] = {0};
    for (int i = 0; i < N; i++) {
        unsigned char k = gordian_uchar("k");
        count[k & 15]++;
    }
    assert(count[3] < N); //~ BUG assertion
    return 0;
}
