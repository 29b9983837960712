// getopt, getopt_long, getopt_long_only and getsubopt with the behaviour and the messages of glibc 2.36.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((weak))

API char *optarg;
API int optind = 1;
API int opterr = 1;
API int optopt = '?';

// What to do with an argument that is no option: set it aside, stop, or hand it out as the argument of option 1.
enum ordering { PERMUTE, STOP, RETURN };

// Between calls. argv[aside_first..aside_last] are arguments set aside; they move behind the options as these are found.
static bool started;
static enum ordering ordering;
static const char *rest; // of a cluster of short options, null or empty between arguments
static int aside_first, aside_last;
static int culprit; // the last option complained about; glibc copies it to optopt on every call, whatever the program stored there

struct call {
	int argc;
	char **argv;
	const char *letters; // without the leading '-' or '+'
	const struct option *longs;
	int *long_index;
	bool long_only;
	bool loud;
};

static void start(const char *optstring)
{
	if (optind == 0)
		optind = 1;
	aside_first = aside_last = optind;
	rest = NULL;
	if (*optstring == '-')
		ordering = RETURN;
	else if (*optstring == '+' || getenv("POSIXLY_CORRECT"))
		ordering = STOP;
	else
		ordering = PERMUTE;
	started = true;
}

static void reverse(char **argv, int from, int to)
{
	for (; from < --to; from++) {
		char *argument = argv[from];
		argv[from] = argv[to];
		argv[to] = argument;
	}
}

// Exchanges the arguments set aside with the options after them, up to optind; both keep their order.
static void move_aside_back(char **argv)
{
	reverse(argv, aside_first, aside_last);
	reverse(argv, aside_last, optind);
	reverse(argv, aside_first, optind);
	aside_first += optind - aside_last;
	aside_last = optind;
}

static bool is_plain(const char *argument)
{
	return argument[0] != '-' || !argument[1];
}

// What a missing argument returns: a leading ':' asks to tell it from an unknown option.
static int missing(const struct call *call)
{
	return *call->letters == ':' ? ':' : '?';
}

static void complain_about_letter(const struct call *call, const char *what, char letter)
{
	if (call->loud)
		fprintf(stderr, "%s: %s -- '%c'\n", call->argv[0], what, letter);
}

static void list_candidates(const struct call *call, const char *name, size_t length, const char *prefix,
			    const struct option *found)
{
	fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", call->argv[0], prefix, name);
	for (const struct option *option = call->longs; option->name; option++) {
		bool same = option->has_arg == found->has_arg && option->flag == found->flag && option->val == found->val;
		bool listed = option == found || call->long_only || !same;
		if (listed && !strncmp(option->name, name, length))
			fprintf(stderr, " '%s%s'", prefix, option->name);
	}
	fprintf(stderr, "\n");
}

// The option that `name` spells or abbreviates. Abbreviations of several options that mean the same are fine.
static const struct option *find_long(const struct call *call, const char *name, size_t length, bool *ambiguous,
				      const struct option **first)
{
	const struct option *found = NULL;
	*ambiguous = false;
	for (const struct option *option = call->longs; option->name; option++)
		if (!strncmp(option->name, name, length) && !option->name[length])
			return option;
	for (const struct option *option = call->longs; option->name; option++) {
		if (strncmp(option->name, name, length))
			continue;
		if (!found)
			found = option;
		else if (call->long_only || found->has_arg != option->has_arg || found->flag != option->flag ||
			 found->val != option->val)
			*ambiguous = true;
	}
	*first = found;
	return *ambiguous ? NULL : found;
}

static int accept_long(const struct call *call, const struct option *option, const char *value, const char *prefix)
{
	const char *problem = NULL;
	int result = '?';
	if (value && option->has_arg) {
		optarg = (char *)value;
	} else if (value) {
		problem = "doesn't allow an argument";
	} else if (option->has_arg == required_argument) {
		if (optind < call->argc) {
			optarg = call->argv[optind++];
		} else {
			problem = "requires an argument";
			result = missing(call);
		}
	}
	if (problem) {
		if (call->loud)
			fprintf(stderr, "%s: option '%s%s' %s\n", call->argv[0], prefix, option->name, problem);
		culprit = option->val;
		return result;
	}
	if (call->long_index)
		*call->long_index = (int)(option - call->longs);
	if (option->flag) {
		*option->flag = option->val;
		return 0;
	}
	return option->val;
}

// Takes `name`, which may have "=value" behind it. Returns -1, with nothing consumed, if it should be read as short options.
static int take_long(const struct call *call, const char *name, const char *prefix)
{
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	bool ambiguous;
	const struct option *first;
	const struct option *option = find_long(call, name, length, &ambiguous, &first);
	if (!option && !ambiguous && call->long_only && call->argv[optind][1] != '-' && strchr(call->letters, *name))
		return -1;
	rest = NULL;
	if (option) {
		optind++;
		return accept_long(call, option, value, prefix);
	}
	if (call->loud && ambiguous)
		list_candidates(call, name, length, prefix, first);
	else if (call->loud)
		fprintf(stderr, "%s: unrecognized option '%s%s'\n", call->argv[0], prefix, name);
	optind++;
	culprit = 0;
	return '?';
}

// "-W name" means "--name" where the letters say "W;".
static int take_w(const struct call *call)
{
	const char *name = rest;
	if (!*name) {
		if (optind == call->argc) {
			complain_about_letter(call, "option requires an argument", 'W');
			culprit = 'W';
			return missing(call);
		}
		name = call->argv[optind];
	}
	struct call as_long = *call;
	as_long.long_only = false; // there is no going back to short options from here
	return take_long(&as_long, name, "-W ");
}

static int take_short(const struct call *call)
{
	char letter = *rest++;
	const char *spec = strchr(call->letters, letter);
	if (!*rest)
		optind++;
	if (!spec || letter == ':' || letter == ';') {
		complain_about_letter(call, "invalid option", letter);
		culprit = letter;
		return '?';
	}
	if (letter == 'W' && spec[1] == ';' && call->longs)
		return take_w(call);
	if (spec[1] != ':')
		return letter;
	int result = letter;
	if (*rest) {
		optarg = (char *)rest;
		optind++;
	} else if (spec[2] != ':') {
		if (optind == call->argc) {
			complain_about_letter(call, "option requires an argument", letter);
			culprit = letter;
			result = missing(call);
		} else {
			optarg = call->argv[optind++];
		}
	}
	rest = NULL;
	return result;
}

// Goes to the next argument with an option in it. Returns false, with the answer in *result, when there is none.
static bool advance(const struct call *call, int *result)
{
	char **argv = call->argv;
	// The program may have moved optind back.
	if (aside_last > optind)
		aside_last = optind;
	if (aside_first > optind)
		aside_first = optind;
	if (ordering == PERMUTE) {
		if (aside_first != aside_last && aside_last != optind)
			move_aside_back(argv);
		else if (aside_last != optind)
			aside_first = optind;
		while (optind < call->argc && is_plain(argv[optind]))
			optind++;
		aside_last = optind;
	}
	if (optind != call->argc && !strcmp(argv[optind], "--")) {
		optind++;
		if (aside_first != aside_last && aside_last != optind)
			move_aside_back(argv);
		else if (aside_first == aside_last)
			aside_first = optind;
		aside_last = optind = call->argc;
	}
	*result = -1;
	if (optind == call->argc) {
		if (aside_first != aside_last)
			optind = aside_first;
		return false;
	}
	if (is_plain(argv[optind])) {
		if (ordering == STOP)
			return false;
		optarg = argv[optind++];
		*result = 1;
		return false;
	}
	return true;
}

static int find_option(struct call *call)
{
	if (optind == 0 || !started)
		start(call->letters);
	if (*call->letters == '-' || *call->letters == '+')
		call->letters++;
	call->loud = opterr && *call->letters != ':';
	if (!rest || !*rest) {
		int result;
		if (!advance(call, &result))
			return result;
		const char *argument = call->argv[optind];
		if (call->longs && argument[1] == '-')
			return take_long(call, argument + 2, "--");
		if (call->longs && call->long_only && (argument[2] || !strchr(call->letters, argument[1]))) {
			result = take_long(call, argument + 1, "-");
			if (result != -1)
				return result;
		}
		rest = argument + 1;
	}
	return take_short(call);
}

static int next_option(struct call *call)
{
	optarg = NULL;
	int result = call->argc < 1 ? -1 : find_option(call);
	optopt = culprit;
	return result;
}

API int getopt(int argc, char *const *argv, const char *letters)
{
	struct call call = { .argc = argc, .argv = (char **)argv, .letters = letters };
	return next_option(&call);
}

// unistd.h declares getopt under this name for strict POSIX, where arguments are never permuted.
int __posix_getopt(int argc, char *const *argv, const char *letters);

API int __posix_getopt(int argc, char *const *argv, const char *letters)
{
	struct call call = { .argc = argc, .argv = (char **)argv, .letters = letters };
	if (optind == 0 || !started) {
		start(letters);
		if (ordering == PERMUTE)
			ordering = STOP;
	}
	return next_option(&call);
}

API int getopt_long(int argc, char *const *argv, const char *letters, const struct option *longs, int *long_index)
{
	struct call call = { argc, (char **)argv, letters, longs, long_index, .long_only = false };
	return next_option(&call);
}

API int getopt_long_only(int argc, char *const *argv, const char *letters, const struct option *longs, int *long_index)
{
	struct call call = { argc, (char **)argv, letters, longs, long_index, .long_only = true };
	return next_option(&call);
}

API int getsubopt(char **text, char *const *tokens, char **value)
{
	*value = NULL;
	if (!**text)
		return -1;
	char *start_of_word = *text, *end = start_of_word + strcspn(start_of_word, ",");
	char *equals = memchr(start_of_word, '=', (size_t)(end - start_of_word));
	size_t length = (size_t)((equals ? equals : end) - start_of_word);
	*text = *end ? end + 1 : end;
	*end = 0;
	for (int i = 0; tokens[i]; i++) {
		if (!strncmp(start_of_word, tokens[i], length) && !tokens[i][length]) {
			*value = equals ? equals + 1 : NULL;
			return i;
		}
	}
	*value = start_of_word;
	return -1;
}
