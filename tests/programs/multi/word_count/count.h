#ifndef COUNT_H
#define COUNT_H

/* The number of words in the file, or -1 if it cannot be read. */
long count_words(const char *name);

#endif
