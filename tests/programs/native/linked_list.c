// Linked lists: insertion in order, reversal, merge sort, removal through pointers to pointers, a ring, Josephus, insque.
//@ native
#include <search.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

static struct node *cons(int value, struct node *next)
{
	struct node *n = malloc(sizeof *n);
	*n = (struct node){ next, value };
	return n;
}

static void print(const struct node *n)
{
	for (; n; n = n->next)
		printf("%d ", n->value);
	printf("\n");
}

static void insert_sorted(struct node **list, int value)
{
	while (*list && (*list)->value < value)
		list = &(*list)->next;
	*list = cons(value, *list);
}

static struct node *reverse(struct node *n)
{
	struct node *done = NULL;
	while (n) {
		struct node *next = n->next;
		n->next = done;
		done = n;
		n = next;
	}
	return done;
}

static struct node *merge(struct node *a, struct node *b)
{
	struct node *head, **tail = &head;
	while (a && b) {
		struct node **least = b->value < a->value ? &b : &a;
		*tail = *least;
		tail = &(*least)->next;
		*least = (*least)->next;
	}
	*tail = a ? a : b;
	return head;
}

static struct node *sort(struct node *n)
{
	if (!n || !n->next)
		return n;
	struct node *slow = n, *fast = n->next;
	while (fast && fast->next) {
		slow = slow->next;
		fast = fast->next->next;
	}
	struct node *second = slow->next;
	slow->next = NULL;
	return merge(sort(n), sort(second));
}

static void remove_odd(struct node **list)
{
	while (*list) {
		struct node *n = *list;
		if (n->value % 2) {
			*list = n->next;
			free(n);
		} else {
			list = &n->next;
		}
	}
}

static int josephus(int n, int step)
{
	struct node *last = cons(n, NULL), *first = last;
	for (int i = n - 1; i >= 1; i--)
		first = cons(i, first);
	last->next = first;
	while (last->next != last) {
		for (int i = 1; i < step; i++)
			last = last->next;
		struct node *out = last->next;
		last->next = out->next;
		free(out);
	}
	int survivor = last->value;
	free(last);
	return survivor;
}

struct member {
	struct member *forward, *backward;
	const char *name;
};

int main(void)
{
	struct node *list = NULL, *random = NULL;
	static const int values[] = { 5, 1, 4, 2, 3, 9, 0 };
	for (int i = 0; i < 7; i++)
		insert_sorted(&list, values[i]);
	print(list);
	list = reverse(list);
	print(list);
	for (unsigned i = 0, x = 12345; i < 20; i++, x = x * 1103515245 + 12345)
		random = cons((int)(x >> 16) % 100, random);
	random = sort(random);
	print(random);
	list = merge(sort(list), random);
	remove_odd(&list);
	print(list);
	while (list) {
		struct node *next = list->next;
		free(list);
		list = next;
	}
	printf("%d %d\n", josephus(41, 3), josephus(10, 2));
	struct member a = { .name = "a" }, b = { .name = "b" }, c = { .name = "c" };
	insque(&a, NULL);
	insque(&c, &a);
	insque(&b, &a);
	for (struct member *e = &a; e; e = e->forward)
		printf("%s%s ", e->name, e->backward ? e->backward->name : "-");
	remque(&b);
	printf("%s %s\n", a.forward->name, c.backward->name);
	return 0;
}
