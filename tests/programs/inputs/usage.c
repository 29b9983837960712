// What cannot be is said in one sentence, with exit code 2.
//@ check --sym-arg 0 4: usage message="the first one is 1"
//@ check --sym-arg one 4: usage message="`one` is no number of an argument"
//@ check --sym-arg 1 0: usage message="no number of bytes from 1 to 4096"
//@ check --sym-arg 1 many: usage message="`many` is no number of bytes"
//@ check --sym-arg 1: usage
//@ check --sym-arg 2 4: usage message="the program has no argument 1"
//@ check --sym-arg 1 4 --sym-arg 1 5: usage message="argument 1 was given already"
//@ check --sym-stdin some: usage message="`some` is no number of bytes"
//@ check --sym-stdin 5 --stdin input.txt: usage message="cannot be used with"
//@ check --sym-file no/such/folder/file 4: usage message="there is no folder no/such/folder"
//@ check --sym-file . 4: usage message="is a folder"
//@ check --sym-file /dev/null 4: usage message="is a device"
//@ check --sym-file a 4 --sym-file a 5: usage message="was given already"
//@ check --sym-file a 5000: usage message="no number of bytes from 1 to 4096"
//@ check --sym-env A=B 4: usage message="is no name of a variable"
//@ check --sym-env A 4 --env A=x: usage message="was given already"
int main(void)
{
    return 0;
}
