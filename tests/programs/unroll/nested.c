// Each time the inner loop is entered it is counted anew: 4 times 3 iterations need 4, not 12. A loop on its way through `continue` and
// `break` is the same loop.
//@ check --unroll 4: safe executions=1 blocked=0
//@ check --unroll 3: inconclusive executions=0 blocked=1
#include <assert.h>

int main(void)
{
    int n = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0;; j++) {
            if (j == 1)
                continue;
            n++;
            if (j == 3)
                break;
        }
    }
    assert(n == 12);
    return 0;
}
