// A struct that is too large to be passed by value: a sentence, where LLVM would end the process.
//@ check: usage message="huge 'byval' arguments are unsupported"
struct huge {
    char bytes[1ul << 33];
};
struct huge *place;
static int look(struct huge whole) {
    return whole.bytes[7];
}
int main(void) {
    return place ? look(*place) : 0;
}
