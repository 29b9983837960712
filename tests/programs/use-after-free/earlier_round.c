// Pointers to a variable of a block that was left and entered again: that is another variable. Each case is a program of its own, chosen by an
// argument.
//@ check -- 0: bug use-after-free message="use of x after its scope has ended"
//@ check -- 1: bug use-after-free message="use of x after its scope has ended"
//@ check -- 2: bug use-after-free message="use of x after its scope has ended"
//@ check -- 3: bug use-after-free message="use of node.value after its scope has ended"
//@ check -- 4: bug use-after-free message="use of x after its scope has ended"
//@ check -- 5: bug use-after-free message="use of box.at[1] after its scope has ended"
// Those of the same round, of an outer block, or that are only compared.
//@ check -- 20: safe
//@ check -- 21: safe
//@ check -- 22: safe
//@ check -- 23: safe
//@ cflag: -w
#include <assert.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static int *kept;
static struct node *head;

static void keep(int *p) {
    kept = p;
}

static int *same(int *p) {
    return p;
}

static int kept_by_a_function(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        if (i == 1)
            sum += *kept;
        keep(&x);
    }
    return sum;
}

static int kept_in_a_register(void) {
    int sum = 0;
    int *previous = NULL;
    for (int i = 0; i < 3; i++) {
        int x = i;
        if (previous)
            sum += *previous;
        previous = &x;
    }
    return sum;
}

static int written_to(void) {
    for (int i = 0; i < 2; i++) {
        int x = i;
        if (i == 1)
            *kept = 5;
        kept = same(&x);
    }
    return 0;
}

static int list_of_one(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        struct node node = {i, head};
        head = &node;
        for (struct node *p = head; p; p = p->next)
            sum += p->value;
    }
    return sum;
}

static int entered_by_goto(void) {
    int n = 0;
again: {
    int x = n;
    if (n == 1)
        return *kept;
    kept = &x;
}
    n++;
    goto again;
}

static int part_of_a_struct(void) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        struct {
            int before, at[2];
        } box = {i, {i, i}};
        if (i == 1)
            sum += kept[1];
        keep(box.at);
    }
    return sum;
}

static int same_round(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        keep(&x);
        {
            int y = i;
            int *p = i % 2 ? &x : &y;
            sum += *p;
        }
        sum += *kept;
        if (i == 1)
            continue;
        *kept = 7;
        assert(x == 7);
    }
    return sum;
}

static int outer_block(void) {
    int x = 0;
    keep(&x);
    for (int i = 0; i < 3; i++) {
        int y = i;
        *kept += *same(&y);
    }
    return x - 3;
}

// Lives that nest, by recursion and by blocks.
static int walk(int depth) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        struct node node = {i, head};
        head = &node;
        if (depth < 3)
            sum += walk(depth + 1);
        for (struct node *p = head; p; p = p->next)
            sum++;
        head = node.next;
        if (i == 1)
            continue;
        int array[i + 1];
        keep(array);
        kept[i] = 1;
    }
    return sum;
}

// More rounds than there are names for a thread's locals.
static int many_rounds(void) {
    int sum = 0;
    for (int i = 0; i < 100000; i++) {
        int x = i & 1, y = 1;
        keep(&x);
        sum += *kept;
        keep(&y);
        sum += *kept;
        if (i % 3 == 0)
            continue;
        *kept = 2;
    }
    return sum == 150000;
}

int main(int argc, char **argv) {
    switch (atoi(argv[1])) {
    case 0: return kept_by_a_function() > 100;
    case 1: return kept_in_a_register() > 100;
    case 2: return written_to();
    case 3: return list_of_one() > 100;
    case 4: return entered_by_goto() > 100;
    case 5: return part_of_a_struct() > 100;
    case 20: return same_round() == 0;
    case 21: return outer_block() > 100;
    case 22: assert(walk(0) == 3 + 18 + 81 + 324); return 0;
    case 23: assert(many_rounds()); return 0;
    }
    return 3;
}
