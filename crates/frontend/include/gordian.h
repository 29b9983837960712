/*
 * gordian.h: inputs of a program that gordian tests.
 *
 *     gordian check program.c
 *
 * gordian provides these functions itself; nothing is linked. `gordian check` explores what the program does for every
 * value of its inputs, together with every thread schedule, and a finding names the values that lead to it. They are saved
 * in the test, so that `gordian replay` gives the same ones again. To build the same program without gordian, define
 * the functions yourself, for example so that they read a number.
 *
 * A name is for reports alone; it may be NULL. Every call is a new input, also if the name is the same.
 */
#ifndef GORDIAN_H
#define GORDIAN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number of that type: any of its values. */
_Bool gordian_bool(const char *name);
char gordian_char(const char *name);
signed char gordian_schar(const char *name);
unsigned char gordian_uchar(const char *name);
short gordian_short(const char *name);
unsigned short gordian_ushort(const char *name);
int gordian_int(const char *name);
unsigned gordian_uint(const char *name);
long gordian_long(const char *name);
unsigned long gordian_ulong(const char *name);
size_t gordian_size(const char *name);

/* A number from `least` to `most`, both included. */
int gordian_range(int least, int most, const char *name);

/* Lets the `size` bytes at `place` take any values: of a variable, a struct or an array. */
void gordian_symbolic(void *place, size_t size, const char *name);

/* From here on only inputs for which `condition` is not 0 count; an execution with others ends here and is no finding. */
void gordian_assume(int condition);

#ifdef __cplusplus
}
#endif

#endif
