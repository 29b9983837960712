/*
 * What programs written for KLEE say about their inputs. gordian provides these functions itself; see gordian.h for what
 * it does with inputs.
 */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lets `nbytes` bytes take any values. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);

/* Any int. */
int klee_int(const char *name);

/* An int from `begin` on, below `end`. */
int klee_range(int begin, int end, const char *name);

/* Inputs for which the condition is 0 do not count from here on. */
void klee_assume(uintptr_t condition);

#ifdef __cplusplus
}
#endif

#endif
