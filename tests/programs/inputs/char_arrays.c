// Bytes are shown as what the object is: a text of 4 or 8 characters is no number, and a number is no text.
//@ check: bug assertion message="key[0] != 'k'"
//@ check --cflag=-DNUMBER: bug assertion
#include <assert.h>
#include <gordian.h>
#include <string.h>

int main(void)
{
    char key[8];
    struct { char tag[4]; int n; } packet;
#ifdef NUMBER
    gordian_symbolic(&packet.n, sizeof packet.n, "n");
    assert(packet.n != -7);
#else
    gordian_symbolic(key, sizeof key, "key");
    gordian_symbolic(packet.tag, sizeof packet.tag, "tag");
    if (packet.tag[3] == 'x')
        assert(key[0] != 'k' || key[7] != '!');
#endif
    return 0;
}
