// getopt: clusters, arguments attached and apart, optional arguments, permutation, errors, "--".
//@ native
//@ native -- -v -o out.txt input
//@ native -- -vvofile first -x second -n5 third
//@ native -- -n -5 -z -o
//@ native -- a b -v -- -o c
//@ native -- -c -cred -
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int verbose = 0, option;
	opterr = 0;
	while ((option = getopt(argc, argv, "vo:n:c::x")) != -1) {
		switch (option) {
		case 'v':
			verbose++;
			break;
		case 'o':
		case 'n':
			printf("%c = %s\n", option, optarg);
			break;
		case 'c':
			printf("c = %s\n", optarg ? optarg : "(none)");
			break;
		case 'x':
			printf("x at %d\n", optind);
			break;
		default:
			printf("%c about %c\n", option, optopt);
		}
	}
	printf("verbose %d, %d of %d left:", verbose, argc - optind, argc);
	for (int i = optind; i < argc; i++)
		printf(" %s", argv[i]);
	printf("\n");
	return argc - optind;
}
