// rand, srand and rand_r give the sequence of glibc for a seed; a shuffle and a die on top of them.
//@ native
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 5; i++)
		printf("%d ", rand());
	printf("%d\n", RAND_MAX);
	srand(1);
	for (int i = 0; i < 5; i++)
		printf("%d ", rand());
	printf("\n");
	srand(42);
	int deck[20], faces[6] = { 0 };
	for (int i = 0; i < 20; i++)
		deck[i] = i;
	for (int i = 19; i > 0; i--) {
		int j = rand() % (i + 1), t = deck[i];
		deck[i] = deck[j];
		deck[j] = t;
	}
	for (int i = 0; i < 20; i++)
		printf("%d ", deck[i]);
	printf("\n");
	for (int i = 0; i < 600; i++)
		faces[rand() % 6]++;
	for (int i = 0; i < 6; i++)
		printf("%d ", faces[i]);
	printf("\n");
	unsigned seed = 7;
	for (int i = 0; i < 5; i++)
		printf("%d ", rand_r(&seed));
	printf("%u\n", seed);
	return 0;
}
