// setjmp and longjmp: returning a value, from nested calls, exceptions in C, a volatile counter, longjmp with 0.
//@ native
#include <setjmp.h>
#include <stdio.h>

static jmp_buf handler;

static void dig(int depth, int limit)
{
	int local[4] = { depth, depth + 1, depth + 2, depth + 3 };
	if (depth == limit)
		longjmp(handler, depth);
	dig(depth + 1, limit);
	printf("not reached %d\n", local[0]);
}

struct frame {
	jmp_buf here;
	struct frame *outer;
};

static struct frame *top;

static void throw_up(int code)
{
	struct frame *target = top;
	top = target->outer;
	longjmp(target->here, code);
}

static int attempt(int (*body)(int), int argument)
{
	struct frame frame;
	frame.outer = top;
	top = &frame;
	int code = setjmp(frame.here);
	if (code)
		return -code;
	int result = body(argument);
	top = frame.outer;
	return result;
}

static int half(int x)
{
	if (x % 2)
		throw_up(x);
	return x / 2;
}

static int nested(int x)
{
	int inner = attempt(half, x + 1);
	printf("inner %d\n", inner);
	if (inner < 0)
		throw_up(100);
	return inner;
}

int main(void)
{
	for (int i = 1; i <= 3; i++) {
		int code = setjmp(handler);
		if (!code)
			dig(0, i * 10);
		printf("caught %d\n", code);
	}
	volatile int tries = 0;
	int code = setjmp(handler);
	tries++;
	if (tries < 4)
		longjmp(handler, tries == 1 ? 0 : tries);
	printf("tries %d code %d\n", tries, code);
	printf("%d\n", attempt(half, 10));
	printf("%d\n", attempt(half, 7));
	printf("%d\n", attempt(nested, 9));
	printf("%d\n", attempt(nested, 8));
	printf("%d\n", top == NULL);
	return 0;
}
