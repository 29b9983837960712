// The search does not find the key, and nobody asks.
//@ check --strategy exhaustive: bug null-dereference
#include <stddef.h>

struct entry {
    int key, value;
};

static struct entry entries[2] = {{1, 10}, {2, 20}};

static struct entry *find(int key)
{
    for (int i = 0; i < 2; i++)
        if (entries[i].key == key)
            return &entries[i];
    return NULL;
}

int main(void)
{
    int sum = find(1)->value;
    sum += find(3)->value; //~ BUG null-dereference
    return sum;
}
