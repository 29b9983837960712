// getopt_long: abbreviations, flags, "=", ambiguity, missing and surplus arguments; messages redirected to stdout's order by opterr = 0.
//@ native -- --help --level=3 --name bob file
//@ native -- --lev 4 --na=x --verbose --brief --verb
//@ native -- --he --nothing --help=yes --name
//@ native -- -l7 file1 --l 9 file2 -- --help
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static int chatty;
static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "level", required_argument, NULL, 'l' },
	{ "name", optional_argument, NULL, 'n' },
	{ "verbose", no_argument, &chatty, 1 },
	{ "brief", no_argument, &chatty, 0 },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

int main(int argc, char **argv)
{
	int option, which = -1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hl:n::V", options, &which)) != -1) {
		switch (option) {
		case 0:
			printf("flag %s: chatty %d\n", options[which].name, chatty);
			break;
		case 'l':
			printf("level %ld\n", strtol(optarg, NULL, 0));
			break;
		case '?':
		case ':':
			printf("%c optopt %d optind %d\n", option, optopt, optind);
			break;
		default:
			printf("%c %s index %d\n", option, optarg ? optarg : "-", which);
		}
		which = -1;
	}
	while (optind < argc)
		printf("rest %s\n", argv[optind++]);
	return chatty;
}
