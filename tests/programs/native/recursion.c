// Long recursion, mutual recursion, Ackermann, Hanoi, permutations, subsets.
//@ native
#include <stdio.h>
#include <string.h>

static long depth_sum(int n)
{
	return n == 0 ? 0 : n + depth_sum(n - 1);
}

static int is_odd(unsigned n);
static int is_even(unsigned n)
{
	return n == 0 || is_odd(n - 1);
}
static int is_odd(unsigned n)
{
	return n != 0 && is_even(n - 1);
}

static unsigned ackermann(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static int moves;
static void hanoi(int n, int from, int to, int via)
{
	if (n == 0)
		return;
	hanoi(n - 1, from, via, to);
	moves++;
	if (n == 4)
		printf("%d>%d ", from, to);
	hanoi(n - 1, via, to, from);
}

static int permutations;
static void permute(char *s, int at, int n)
{
	if (at == n) {
		if (permutations++ % 5 == 0)
			printf("%s ", s);
		return;
	}
	for (int i = at; i < n; i++) {
		char c = s[at];
		s[at] = s[i];
		s[i] = c;
		permute(s, at + 1, n);
		c = s[at];
		s[at] = s[i];
		s[i] = c;
	}
}

static int subsets(const int *weights, int n, int target)
{
	if (target == 0)
		return 1;
	if (n == 0 || target < 0)
		return 0;
	return subsets(weights + 1, n - 1, target) + subsets(weights + 1, n - 1, target - weights[0]);
}

static int partitions(int n, int largest)
{
	int total = n == 0;
	for (int k = 1; k <= largest && k <= n; k++)
		total += partitions(n - k, k);
	return total;
}

int main(void)
{
	printf("%ld %d %d\n", depth_sum(5000), is_even(2000), is_odd(2000));
	printf("%u %u\n", ackermann(2, 9), ackermann(3, 3));
	hanoi(6, 1, 3, 2);
	printf("%d\n", moves);
	char letters[] = "abcd";
	permute(letters, 0, 4);
	printf("%d %s\n", permutations, letters);
	static const int weights[] = { 3, 34, 4, 12, 5, 2, 7, 9 };
	printf("%d %d\n", subsets(weights, 8, 19), partitions(20, 20));
	return 0;
}
