// N queens by bit masks and by arrays, and a knight's tour by Warnsdorff's rule: backtracking.
//@ native
#include <stdio.h>
#include <stdlib.h>

static int count(unsigned all, unsigned columns, unsigned left, unsigned right)
{
	if (columns == all)
		return 1;
	int total = 0;
	for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
		unsigned bit = free & -free;
		total += count(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return total;
}

static int safe(const int *place, int row)
{
	for (int i = 0; i < row; i++)
		if (place[i] == place[row] || abs(place[i] - place[row]) == row - i)
			return 0;
	return 1;
}

static int first_solution(int *place, int n)
{
	int row = 0;
	place[0] = -1;
	while (row >= 0) {
		do
			place[row]++;
		while (place[row] < n && !safe(place, row));
		if (place[row] == n)
			row--;
		else if (row == n - 1)
			return 1;
		else
			place[++row] = -1;
	}
	return 0;
}

static const int moves[8][2] = { { 1, 2 }, { 2, 1 }, { 2, -1 }, { 1, -2 }, { -1, -2 }, { -2, -1 }, { -2, 1 }, { -1, 2 } };
static int board[6][6];

static int open_at(int x, int y)
{
	return x >= 0 && x < 6 && y >= 0 && y < 6 && !board[x][y];
}

static int exits(int x, int y)
{
	int n = 0;
	for (int m = 0; m < 8; m++)
		n += open_at(x + moves[m][0], y + moves[m][1]);
	return n;
}

static int tour(int x, int y, int step)
{
	board[x][y] = step;
	if (step == 36)
		return 1;
	for (int want = 0; want <= 8; want++)
		for (int m = 0; m < 8; m++) {
			int nx = x + moves[m][0], ny = y + moves[m][1];
			if (open_at(nx, ny) && exits(nx, ny) == want && tour(nx, ny, step + 1))
				return 1;
		}
	board[x][y] = 0;
	return 0;
}

int main(void)
{
	for (int n = 1; n <= 7; n++)
		printf("%d:%d ", n, count((1u << n) - 1, 0, 0, 0));
	printf("\n");
	int place[8];
	printf("%d\n", first_solution(place, 8));
	for (int i = 0; i < 8; i++)
		printf("%*c\n", place[i] + 1, 'Q');
	printf("%d %d\n", first_solution(place, 3), tour(0, 0, 1));
	for (int i = 0; i < 6; i++)
		printf("%3d%3d%3d%3d%3d%3d\n", board[i][0], board[i][1], board[i][2], board[i][3], board[i][4], board[i][5]);
	return 0;
}
