#ifndef JOURNAL_H
#define JOURNAL_H

void journal_open(const char *file_name);
void journal_write(int from, int to, int amount);
void journal_close(void);
/* Calls `apply` for each entry in order; returns their number. */
int journal_replay(const char *file_name, void (*apply)(int from, int to, int amount));

#endif
