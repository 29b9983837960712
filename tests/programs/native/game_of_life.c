// Conway's game of life on a torus, two boards swapped, until it repeats or forty generations have passed.
//@ native
#include <stdio.h>
#include <string.h>

enum { ROWS = 10, COLUMNS = 16 };
typedef unsigned char board[ROWS][COLUMNS];

static int neighbours(board b, int row, int column)
{
	int n = 0;
	for (int i = -1; i <= 1; i++)
		for (int j = -1; j <= 1; j++)
			n += (i || j) && b[(row + i + ROWS) % ROWS][(column + j + COLUMNS) % COLUMNS];
	return n;
}

static int step(board from, board to)
{
	int alive = 0;
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			int n = neighbours(from, i, j);
			alive += to[i][j] = n == 3 || (n == 2 && from[i][j]);
		}
	return alive;
}

static void show(board b)
{
	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < COLUMNS; j++)
			putchar(b[i][j] ? '#' : '.');
		putchar('\n');
	}
}

static void place(board b, int row, int column, const char *pattern)
{
	for (int j = column; *pattern; pattern++) {
		if (*pattern == '/') {
			row++;
			j = column;
		} else {
			b[row][j++] = *pattern == '#';
		}
	}
}

int main(void)
{
	board boards[2];
	memset(boards, 0, sizeof boards);
	place(boards[0], 1, 1, ".#./..#/###");
	place(boards[0], 5, 8, "###");
	place(boards[0], 2, 12, "##/##");
	int now = 0;
	for (int generation = 0; generation <= 12; generation++) {
		int alive = step(boards[now], boards[!now]);
		if (generation % 6 == 0) {
			printf("generation %d, next has %d\n", generation, alive);
			show(boards[now]);
		}
		if (!memcmp(boards[0], boards[1], sizeof(board))) {
			printf("still life\n");
			break;
		}
		now = !now;
	}
	return 0;
}
