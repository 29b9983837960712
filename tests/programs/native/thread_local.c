// Thread-local variables of one thread: initialised, zero, static in functions, arrays, their addresses.
//@ native
#include <stdio.h>

static _Thread_local int counter = 5;
_Thread_local long zero;
__thread int squares[4] = { 0, 1, 4, 9 };
static _Thread_local struct {
	const char *name;
	int *where;
} record = { .name = "record" };

static int next(void)
{
	static _Thread_local int calls = 100;
	return ++calls;
}

int main(void)
{
	printf("%d %ld %s %d\n", counter, zero, record.name, record.where == NULL);
	record.where = &counter;
	*record.where += 37;
	zero -= 1;
	printf("%d %ld\n", counter, zero);
	for (int i = 0; i < 4; i++)
		squares[i] += i;
	printf("%d %d %d %d\n", squares[0], squares[1], squares[2], squares[3]);
	next();
	next();
	printf("%d\n", next());
	int *p = squares;
	printf("%d %d\n", p == &squares[0], p[3] == squares[3]);
	return counter;
}
