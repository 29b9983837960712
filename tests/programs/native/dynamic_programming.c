// Dynamic programming: edit distance with its script, longest common subsequence, knapsack, coin change, text wrapping.
//@ native
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int least(int a, int b)
{
	return a < b ? a : b;
}

static void edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	int cost[n + 1][m + 1];
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j)
				cost[i][j] = (int)(i + j);
			else
				cost[i][j] = least(least(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
		}
	char script[n + m + 1];
	size_t at = n + m, i = n, j = m;
	script[at] = 0;
	while (i || j) {
		if (i && j && cost[i][j] == cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])) {
			script[--at] = a[--i] == b[--j] ? '=' : 'r';
		} else if (i && cost[i][j] == cost[i - 1][j] + 1) {
			script[--at] = 'd';
			i--;
		} else {
			script[--at] = 'i';
			j--;
		}
	}
	printf("%s %s: %d %s\n", a, b, cost[n][m], script + at);
}

static int common(const char *a, const char *b)
{
	size_t m = strlen(b);
	int *row = calloc(m + 1, sizeof *row), result;
	for (; *a; a++) {
		int diagonal = 0;
		for (size_t j = 1; j <= m; j++) {
			int above = row[j];
			row[j] = *a == b[j - 1] ? diagonal + 1 : above > row[j - 1] ? above : row[j - 1];
			diagonal = above;
		}
	}
	result = row[m];
	free(row);
	return result;
}

static int knapsack(const int (*items)[2], int n, int room)
{
	int best[room + 1];
	memset(best, 0, sizeof best);
	for (int i = 0; i < n; i++)
		for (int r = room; r >= items[i][0]; r--)
			if (best[r - items[i][0]] + items[i][1] > best[r])
				best[r] = best[r - items[i][0]] + items[i][1];
	return best[room];
}

static void wrap(const char *text, int width)
{
	int column = 0;
	while (*text) {
		int length = (int)strcspn(text, " ");
		if (column && column + 1 + length > width) {
			printf("|\n");
			column = 0;
		}
		column += printf("%s%.*s", column ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	printf("|\n");
}

int main(void)
{
	edit_distance("kitten", "sitting");
	edit_distance("saturday", "sunday");
	edit_distance("", "abc");
	edit_distance("same", "same");
	printf("%d %d\n", common("AGGTAB", "GXTXAYB"), common("abcdefgh", "hgfedcba"));
	static const int items[][2] = { { 12, 4 }, { 2, 2 }, { 1, 1 }, { 1, 2 }, { 4, 10 } };
	printf("%d %d\n", knapsack(items, 5, 15), knapsack(items, 5, 3));
	long ways[201] = { 1 };
	static const int coins[] = { 1, 2, 5, 10, 20, 50, 100, 200 };
	for (int c = 0; c < 8; c++)
		for (int v = coins[c]; v <= 200; v++)
			ways[v] += ways[v - coins[c]];
	printf("%ld %ld\n", ways[10], ways[200]);
	wrap("the gordian knot is an intractable problem solved easily by cutting  through it", 20);
	return 0;
}
