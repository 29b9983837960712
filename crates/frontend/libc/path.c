// The parts of a path: both functions named basename, and dirname.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <stddef.h>
#include <string.h>

#define API __attribute__((weak))

// libgen.h is not included: it turns `basename` into a macro for __xpg_basename.
char *__xpg_basename(char *path);
char *dirname(char *path);

// The GNU one of string.h: never changes its argument, and gives "" for a path that ends in a slash.
API char *basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return (char *)(slash ? slash + 1 : path);
}

// The POSIX one of libgen.h: drops trailing slashes in place.
API char *__xpg_basename(char *path)
{
	if (!path || !*path)
		return ".";
	size_t end = strlen(path);
	while (end > 1 && path[end - 1] == '/')
		end--;
	size_t start = end;
	while (start > 0 && path[start - 1] != '/')
		start--;
	if (start == end) // only slashes: the last one of them is the answer
		return path + strlen(path) - 1;
	if (path[end])
		path[end] = 0;
	return path + start;
}

API char *dirname(char *path)
{
	if (!path)
		return ".";
	size_t end = strlen(path);
	while (end > 0 && path[end - 1] == '/')
		end--;
	if (end == 0 && !*path)
		return ".";
	while (end > 0 && path[end - 1] != '/')
		end--;
	size_t name = end;
	while (end > 0 && path[end - 1] == '/')
		end--;
	if (end == 0 && name == 0 && *path != '/')
		return ".";
	if (end == 0) {
		// Exactly two leading slashes may mean something else than one, and stay.
		size_t slashes = strspn(path, "/");
		end = slashes == 2 ? 2 : 1;
	}
	path[end] = 0;
	return path;
}
