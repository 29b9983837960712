// Standard input by lines: counts lines, words, bytes and the frequency of letters.
//@ native
//@ stdin: "the quick brown fox\njumps over\n\n\tthe lazy dog  \nlast line without newline"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	char line[64];
	int lines = 0, words = 0, letters[26] = { 0 };
	size_t bytes = 0, longest = 0;
	while (fgets(line, sizeof line, stdin)) {
		size_t length = strlen(line);
		bytes += length;
		lines += length && line[length - 1] == '\n';
		longest = length > longest ? length : longest;
		for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n")) {
			words++;
			for (char *c = word; *c; c++)
				if (isalpha((unsigned char)*c))
					letters[tolower((unsigned char)*c) - 'a']++;
		}
	}
	printf("%d lines %d words %zu bytes, longest %zu, eof %d\n", lines, words, bytes, longest, feof(stdin) != 0);
	for (int i = 0; i < 26; i++)
		if (letters[i])
			printf("%c%d ", 'a' + i, letters[i]);
	printf("\n");
	return 0;
}
