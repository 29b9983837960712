// A program for CREST as it is. The one input that passes both tests: small = 3, large = 60003. The ways to go: the first
// comparison fails, the second fails, both hold, so three executions.
//@ check: bug abort executions=3
#include <crest.h>
#include <stdlib.h>

int main(void)
{
    char c;
    unsigned char byte;
    short small;
    unsigned short large;
    int number;
    unsigned int count;
    CREST_char(c);
    CREST_unsigned_char(byte);
    CREST_short(small);
    CREST_unsigned_short(large);
    CREST_int(number);
    CREST_unsigned_int(count);
    (void)(c + byte + number + count);
    if (small == 3)
        if (large == small + 60000)
            abort(); //~ BUG abort
    return 0;
}
