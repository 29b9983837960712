// Graphs: Dijkstra with a binary heap, breadth-first search on a maze, topological order, union-find.
//@ native
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { N = 9 };
struct edge { int to, weight; };
static struct edge edges[N][8];
static int degree[N];

static void connect(int a, int b, int weight)
{
	edges[a][degree[a]++] = (struct edge){ b, weight };
	edges[b][degree[b]++] = (struct edge){ a, weight };
}

struct entry { int distance, node; };
static struct entry heap[64];
static int heap_size;

static void push(struct entry e)
{
	int i = heap_size++;
	for (; i && heap[(i - 1) / 2].distance > e.distance; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = e;
}

static struct entry pop(void)
{
	struct entry top = heap[0], last = heap[--heap_size];
	int i = 0;
	for (int child; (child = 2 * i + 1) < heap_size; i = child) {
		if (child + 1 < heap_size && heap[child + 1].distance < heap[child].distance)
			child++;
		if (last.distance <= heap[child].distance)
			break;
		heap[i] = heap[child];
	}
	heap[i] = last;
	return top;
}

static void dijkstra(int from)
{
	int distance[N], previous[N];
	for (int i = 0; i < N; i++)
		distance[i] = INT_MAX, previous[i] = -1;
	distance[from] = 0;
	push((struct entry){ 0, from });
	while (heap_size) {
		struct entry e = pop();
		if (e.distance > distance[e.node])
			continue;
		for (int k = 0; k < degree[e.node]; k++) {
			struct edge next = edges[e.node][k];
			if (e.distance + next.weight < distance[next.to]) {
				distance[next.to] = e.distance + next.weight;
				previous[next.to] = e.node;
				push((struct entry){ distance[next.to], next.to });
			}
		}
	}
	for (int i = 0; i < N; i++)
		printf("%d(%d) ", distance[i] == INT_MAX ? -1 : distance[i], previous[i]);
	printf("\n");
}

static int maze_steps(void)
{
	static const char *const maze[] = { "#########", "#S  #   #", "# # # # #", "# #   # #", "# ##### #", "#      E#", "#########" };
	int queue[63], head = 0, tail = 0, steps[63];
	memset(steps, -1, sizeof steps);
	steps[1 * 9 + 1] = 0;
	queue[tail++] = 1 * 9 + 1;
	while (head < tail) {
		int at = queue[head++];
		if (maze[at / 9][at % 9] == 'E')
			return steps[at];
		static const int around[] = { -9, 9, -1, 1 };
		for (int k = 0; k < 4; k++) {
			int next = at + around[k];
			if (maze[next / 9][next % 9] != '#' && steps[next] < 0) {
				steps[next] = steps[at] + 1;
				queue[tail++] = next;
			}
		}
	}
	return -1;
}

static int parent[N];
static int find(int x)
{
	return parent[x] == x ? x : (parent[x] = find(parent[x]));
}

int main(void)
{
	static const int list[][3] = { { 0, 1, 4 }, { 0, 7, 8 }, { 1, 7, 11 }, { 1, 2, 8 }, { 7, 6, 1 }, { 6, 5, 2 }, { 2, 5, 4 }, { 2, 3, 7 }, { 3, 4, 9 }, { 5, 4, 10 } };
	int components = N, n = sizeof list / sizeof *list;
	for (int i = 0; i < N; i++)
		parent[i] = i;
	for (int i = 0; i < n; i++) {
		connect(list[i][0], list[i][1], list[i][2]);
		int a = find(list[i][0]), b = find(list[i][1]);
		components -= a != b;
		parent[a] = b;
	}
	dijkstra(0);
	dijkstra(4);
	printf("%d components, maze %d\n", components, maze_steps());
	static const int needs[7] = { 0, 1, 1, 6, 8, 20, 32 };
	for (int done = 0, left = 7; left;) {
		for (int i = 0; i < 7; i++)
			if (!(done >> i & 1) && (needs[i] & ~done) == 0) {
				printf("%d ", i);
				done |= 1 << i;
				left--;
				break;
			}
	}
	printf("\n");
	return 0;
}
