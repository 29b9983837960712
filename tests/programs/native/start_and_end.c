// Constructors and destructors with priorities, atexit order, exit from a nested call, _Exit is not used.
//@ native
#include <stdio.h>
#include <stdlib.h>

static int started;

__attribute__((constructor(201))) static void second(void)
{
	printf("constructor 201 after %d\n", started++);
}

__attribute__((constructor(101))) static void first(void)
{
	printf("constructor 101 after %d\n", started++);
}

__attribute__((constructor)) static void third(void)
{
	printf("constructor after %d\n", started++);
}

__attribute__((destructor(101))) static void last(void)
{
	printf("destructor 101\n");
}

__attribute__((destructor)) static void before_last(void)
{
	printf("destructor\n");
}

static void inner(void)
{
	printf("registered while exiting\n");
}

static void one(void)
{
	printf("atexit one\n");
}

static void two(void)
{
	printf("atexit two\n");
	atexit(inner);
}

static void leave(int depth)
{
	if (depth == 0)
		exit(17);
	leave(depth - 1);
	printf("not reached\n");
}

int main(void)
{
	printf("main after %d\n", started);
	atexit(one);
	atexit(two);
	atexit(one);
	leave(5);
	return 0;
}
