// argc, argv, environment lookups that fail, and the exit status.
//@ native
//@ native -- one two -three --
//@ native -- 300
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	printf("argc %d\n", argc);
	for (int i = 1; i < argc; i++)
		printf("%d: [%s] %zu\n", i, argv[i], strlen(argv[i]));
	printf("%d %d\n", argv[argc] == NULL, argv[0] != NULL);
	printf("%d\n", getenv("GORDIAN_NO_SUCH_VARIABLE") == NULL);
	setenv("GORDIAN_TEST", "set", 1);
	printf("%s\n", getenv("GORDIAN_TEST"));
	setenv("GORDIAN_TEST", "kept", 0);
	printf("%s\n", getenv("GORDIAN_TEST"));
	unsetenv("GORDIAN_TEST");
	printf("%d\n", getenv("GORDIAN_TEST") == NULL);
	return argc > 1 ? atoi(argv[1]) & 0xff : 3;
}
