// Standard input by scanf and getchar: a calculator of one operation a line.
//@ native
//@ stdin: "3 + 4\n10 / 4\n7 * -6\n1 / 0\n2 ^ 10\n9 ? 9\nquit now\n"
#include <stdio.h>
#include <string.h>

int main(void)
{
	long a, b;
	char operator;
	while (scanf("%ld %c %ld", &a, &operator, &b) == 3) {
		long result = 0;
		switch (operator) {
		case '+':
			result = a + b;
			break;
		case '*':
			result = a * b;
			break;
		case '/':
			if (!b) {
				puts("division by zero");
				continue;
			}
			result = a / b;
			break;
		case '^':
			for (result = 1; b > 0; b--)
				result *= a;
			break;
		default:
			printf("unknown operator '%c'\n", operator);
			continue;
		}
		printf("%ld\n", result);
	}
	char word[16];
	printf("%d ", scanf("%15s", word));
	printf("%s", word);
	int c;
	while ((c = getchar()) != EOF)
		printf(" %d", c);
	printf("\n");
	return strcmp(word, "quit") != 0;
}
