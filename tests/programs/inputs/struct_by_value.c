// A struct is passed by value from a place that an input decides: every place has its execution. The place was taken to be where the first input has it, and the
// copy to be where the original is.
// By 0 to 3, one execution for each of the four elements: they are told apart as places, and the condition behind the call is decided in each.
//@ check -- 0: bug assertion executions=4
//@ check --strategy exhaustive -- 0: bug assertion
//@ check -- 1: bug assertion executions=4
//@ check -- 2: bug assertion executions=4
// What the callee writes goes to its copy, so the original stays as it was.
//@ check -- 3: safe executions=4
//@ check --strategy unfold -- 3: safe
// Behind the array there is nothing to copy.
//@ check -- 4: bug out-of-bounds
//@ check --strategy exhaustive -- 4: bug out-of-bounds
// The same through an argument list.
//@ check -- 5: bug out-of-bounds
#include <assert.h>
#include <gordian.h>
#include <stdarg.h>
#include <stdlib.h>

struct large {
    long v[5];
};

static struct large all[4];

static long third(struct large it) { return it.v[2]; }

static long changed(struct large it) {
    it.v[2] += 5;
    return it.v[2];
}

static long listed(int n, ...) {
    va_list list;
    va_start(list, n);
    struct large it = va_arg(list, struct large);
    va_end(list);
    return it.v[2];
}

int main(int argc, char **argv) {
    for (int i = 0; i < 4; i++)
        all[i].v[2] = i;
    int which = argc > 1 ? atoi(argv[1]) : 0;
    int i = gordian_range(0, which < 4 ? 3 : 7, "i");
    long (*volatile pointer)(struct large) = third;
    long value = 0;
    switch (which) {
    case 0:
        value = third(all[i]);
        break;
    case 1:
        value = listed(1, all[i]);
        break;
    case 2:
        value = pointer(all[i]);
        break;
    case 3:
        assert(changed(all[i]) == i + 5);
        assert(all[i].v[2] == i);
        break;
    default:
        which == 4 ? third(all[i]) : listed(1, all[i]); //~ BUG out-of-bounds
        break;
    }
    assert(value != 2); //~ BUG assertion
}
