#ifndef PROGRAM_H
#define PROGRAM_H

int log_program(void);

#endif
