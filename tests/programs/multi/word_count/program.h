#ifndef PROGRAM_H
#define PROGRAM_H

int word_count(int argc, char **argv);

#endif
