#ifndef PROGRAM_H
#define PROGRAM_H

int bank_program(void);

#endif
