#ifndef MATCH_H
#define MATCH_H

#include "part.h"

/* How many lines of this part of the file contain the pattern; 0 if the file cannot be read. */
int count_matching_lines(const char *file_name, struct part part, const char *pattern);

#endif
