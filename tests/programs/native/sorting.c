// qsort (stable, with its number of comparisons), qsort_r, bsearch, lfind, lsearch.
//@ native
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
	char name[12];
	int age;
	int place;
};

static int comparisons;

static int by_age(const void *a, const void *b)
{
	comparisons++;
	return ((const struct person *)a)->age - ((const struct person *)b)->age;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_distance(const void *a, const void *b, void *centre)
{
	int c = *(int *)centre;
	return abs(*(const int *)a - c) - abs(*(const int *)b - c);
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

int main(void)
{
	struct person people[] = { { "ann", 31, 0 }, { "bob", 25, 1 }, { "cid", 31, 2 }, { "dee", 19, 3 }, { "eve", 25, 4 }, { "fay", 31, 5 }, { "gus", 7, 6 } };
	size_t n = sizeof people / sizeof *people;
	qsort(people, n, sizeof *people, by_age);
	for (size_t i = 0; i < n; i++)
		printf("%s/%d/%d ", people[i].name, people[i].age, people[i].place);
	printf("in %d\n", comparisons);

	const char *words[] = { "pear", "apple", "fig", "date", "cherry", "banana", "elder", "grape" };
	qsort(words, 8, sizeof *words, by_text);
	for (int i = 0; i < 8; i++)
		printf("%s ", words[i]);
	const char *key = "elder", *none = "kiwi";
	const char **found = bsearch(&key, words, 8, sizeof *words, by_text);
	printf("%td %d\n", found - words, bsearch(&none, words, 8, sizeof *words, by_text) == NULL);

	int numbers[500], centre = 500;
	unsigned state = 1;
	for (int i = 0; i < 500; i++) {
		state = state * 1664525 + 1013904223;
		numbers[i] = (int)(state >> 16) % 1000;
	}
	qsort_r(numbers, 500, sizeof *numbers, by_distance, &centre);
	printf("%d %d %d ... %d %d\n", numbers[0], numbers[1], numbers[2], numbers[498], numbers[499]);
	qsort(numbers, 500, sizeof *numbers, by_value);
	long sum = 0;
	int ordered = 1;
	for (int i = 0; i < 500; i++) {
		sum += (long)i * numbers[i];
		ordered &= i == 0 || numbers[i - 1] <= numbers[i];
	}
	printf("%ld %d\n", sum, ordered);

	int set[8] = { 5, 3, 9 }, wanted = 9, fresh = 4;
	size_t count = 3;
	printf("%td ", (int *)lfind(&wanted, set, &count, sizeof *set, by_value) - set);
	printf("%d ", lfind(&fresh, set, &count, sizeof *set, by_value) == NULL);
	printf("%td ", (int *)lsearch(&fresh, set, &count, sizeof *set, by_value) - set);
	printf("%zu\n", count);
	qsort(set, 0, sizeof *set, by_value);
	qsort(set, 1, sizeof *set, by_value);
	return 0;
}
