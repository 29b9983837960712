#ifndef PART_H
#define PART_H

/* The bytes from `begin` up to `end` of a file; begins at the start of a line. */
struct part {
    long begin, end;
};

/* An array of n parts that cover the text; to be freed by the caller. */
struct part *split_at_lines(const char *text, long length, int n);

#endif
