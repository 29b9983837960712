// What is printed decides nothing, so printing an input loses nothing: two ways at the comparison.
//@ check --sym-arg 1 2: safe executions=2
// Its length is seen by the program: one value of many, and the verdict says so.
//@ check --sym-arg 1 2 --cflag=-DLENGTH: bounded
// So is what comes back from a file.
//@ check --sym-arg 1 2 --cflag=-DFILE_TOO: bounded
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argc;
#if defined LENGTH
    return printf("%s\n", argv[1]) == 2;
#elif defined FILE_TOO
    FILE *file = tmpfile();
    fprintf(file, "%c", argv[1][0]);
    rewind(file);
    return fgetc(file) == 'x';
#else
    printf("%s %d\n", argv[1], argv[1][0]);
    if (argv[1][1] == 'x')
        puts(argv[1]);
    return 0;
#endif
}
