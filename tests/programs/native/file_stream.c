// Streams: fopen modes, fread, fwrite, fseek, ftell, fgets, fprintf, fscanf, ungetc, feof, rewind, getline, remove.
//@ native
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name = "native_stream.tmp";

struct record {
	int id;
	double weight;
	char tag[8];
};

static void text(void)
{
	FILE *f = fopen(name, "w");
	for (int i = 1; i <= 5; i++)
		fprintf(f, "line %d %s\n", i, i % 2 ? "odd" : "even");
	fputs("no newline at the end", f);
	printf("position %ld\n", ftell(f));
	fclose(f);

	char line[12];
	f = fopen(name, "r");
	while (fgets(line, sizeof line, f))
		printf("[%s]", line);
	printf("\neof %d error %d\n", feof(f) != 0, ferror(f) != 0);
	rewind(f);
	int number, c;
	char word[16];
	while (fscanf(f, "line %d %15s\n", &number, word) == 2)
		printf("%d:%s ", number, word);
	c = fgetc(f);
	ungetc('N', f);
	printf("%c", c);
	while ((c = getc(f)) != EOF)
		putchar(c);
	putchar('\n');
	fclose(f);

	f = fopen(name, "a");
	fputs("\nappended", f);
	fclose(f);
	f = fopen(name, "r");
	char *whole = NULL;
	size_t capacity = 0;
	ssize_t length;
	while ((length = getline(&whole, &capacity, f)) > 0)
		printf("%zd ", length);
	printf("last [%s]\n", whole);
	free(whole);
	fclose(f);
}

static void binary(void)
{
	FILE *f = fopen(name, "wb+");
	for (int i = 0; i < 4; i++) {
		struct record r;
		memset(&r, 0, sizeof r);
		r.id = i * 11;
		r.weight = i / 4.0;
		snprintf(r.tag, sizeof r.tag, "tag%d", i);
		printf("%zu ", fwrite(&r, sizeof r, 1, f));
	}
	struct record r;
	fseek(f, 2 * (long)sizeof r, SEEK_SET);
	printf("%zu ", fread(&r, sizeof r, 1, f));
	printf("%d %g %s\n", r.id, r.weight, r.tag);
	r.weight = 99;
	fseek(f, -(long)sizeof r, SEEK_CUR);
	fwrite(&r, sizeof r, 1, f);
	fseek(f, -2 * (long)sizeof r, SEEK_END);
	struct record both[3];
	size_t n = fread(both, sizeof *both, 3, f);
	printf("%zu %d %g %d %g eof %d\n", n, both[0].id, both[0].weight, both[1].id, both[1].weight, feof(f) != 0);
	clearerr(f);
	printf("eof %d end %ld\n", feof(f) != 0, ftell(f) / (long)sizeof r);
	fclose(f);
}

int main(void)
{
	text();
	binary();
	printf("remove %d\n", remove(name));
	FILE *f = fopen(name, "r");
	printf("%s %s\n", f ? "open" : "null", strerror(errno));
	printf("remove %d %s\n", remove(name), strerror(errno));
	return 0;
}
