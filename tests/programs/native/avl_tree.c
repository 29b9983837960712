// An AVL tree: insertion, deletion, rotation, height invariant checked, traversal with an explicit stack.
//@ native
#include <stdio.h>
#include <stdlib.h>

struct tree {
	struct tree *child[2];
	int key, height;
};

static int height(const struct tree *t)
{
	return t ? t->height : 0;
}

static void update(struct tree *t)
{
	int left = height(t->child[0]), right = height(t->child[1]);
	t->height = 1 + (left > right ? left : right);
}

static int balance(const struct tree *t)
{
	return height(t->child[1]) - height(t->child[0]);
}

// Lifts the child on side `side`.
static struct tree *rotate(struct tree *t, int side)
{
	struct tree *up = t->child[side];
	t->child[side] = up->child[!side];
	up->child[!side] = t;
	update(t);
	update(up);
	return up;
}

static struct tree *rebalance(struct tree *t)
{
	update(t);
	int b = balance(t);
	if (b >= -1 && b <= 1)
		return t;
	int side = b > 0, inner = balance(t->child[side]);
	if (side ? inner < 0 : inner > 0)
		t->child[side] = rotate(t->child[side], !side);
	return rotate(t, side);
}

static struct tree *insert(struct tree *t, int key)
{
	if (!t) {
		t = calloc(1, sizeof *t);
		t->key = key;
		t->height = 1;
		return t;
	}
	if (key == t->key)
		return t;
	int side = key > t->key;
	t->child[side] = insert(t->child[side], key);
	return rebalance(t);
}

static struct tree *take_least(struct tree *t, struct tree **least)
{
	if (!t->child[0]) {
		*least = t;
		return t->child[1];
	}
	t->child[0] = take_least(t->child[0], least);
	return rebalance(t);
}

static struct tree *delete(struct tree *t, int key)
{
	if (!t)
		return NULL;
	if (key != t->key) {
		int side = key > t->key;
		t->child[side] = delete(t->child[side], key);
		return rebalance(t);
	}
	struct tree *left = t->child[0], *right = t->child[1], *least;
	free(t);
	if (!right)
		return left;
	right = take_least(right, &least);
	least->child[0] = left;
	least->child[1] = right;
	return rebalance(least);
}

static int valid(const struct tree *t, int low, int high)
{
	if (!t)
		return 1;
	int b = balance(t);
	return t->key > low && t->key < high && b >= -1 && b <= 1 && valid(t->child[0], low, t->key) && valid(t->child[1], t->key, high);
}

static void in_order(struct tree *t)
{
	struct tree *stack[32];
	int depth = 0;
	while (t || depth) {
		for (; t; t = t->child[0])
			stack[depth++] = t;
		t = stack[--depth];
		printf("%d ", t->key);
		t = t->child[1];
	}
	printf("\n");
}

int main(void)
{
	struct tree *t = NULL;
	for (int i = 0; i < 100; i++)
		t = insert(t, i * 37 % 101);
	printf("height %d root %d valid %d\n", t->height, t->key, valid(t, -1, 1000));
	for (int i = 0; i < 100; i++)
		if (i % 5)
			t = delete(t, i);
	printf("height %d root %d valid %d\n", t->height, t->key, valid(t, -1, 1000));
	in_order(t);
	while (t)
		t = delete(t, t->key);
	for (int i = 0; i < 31; i++)
		t = insert(t, i);
	printf("height %d root %d\n", t->height, t->key);
	while (t)
		t = delete(t, t->key);
	return 0;
}
