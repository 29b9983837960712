// What it points to is not known: the program is neither wrong nor right.
//@ check: bounded message="is not known"
extern void *__VERIFIER_nondet_pointer(void);
#include <string.h>
struct node { struct node *next; int value; };
int main(void) {
    struct node *p = __VERIFIER_nondet_pointer();
    if (p)
        return p->value != 0;
    char *text = __VERIFIER_nondet_pointer();
    if (text)
        return strlen(text) == 3;
    return 0;
}
