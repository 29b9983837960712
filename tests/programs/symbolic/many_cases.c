// A switch with more targets than a step has variants: 40 cases, each an execution. Of the 88 other values from 0 to 127 each that goes
// to the default is one as well, because values are told apart bit by bit.
//@ check: safe executions=128 blocked=0
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uchar() & 127;
    int result = -1;
    switch (n) {
    case 0:
        result = 0;
        break;
    case 3:
        result = 1;
        break;
    case 6:
        result = 2;
        break;
    case 9:
        result = 3;
        break;
    case 12:
        result = 4;
        break;
    case 15:
        result = 5;
        break;
    case 18:
        result = 6;
        break;
    case 21:
        result = 7;
        break;
    case 24:
        result = 8;
        break;
    case 27:
        result = 9;
        break;
    case 30:
        result = 10;
        break;
    case 33:
        result = 11;
        break;
    case 36:
        result = 12;
        break;
    case 39:
        result = 13;
        break;
    case 42:
        result = 14;
        break;
    case 45:
        result = 15;
        break;
    case 48:
        result = 16;
        break;
    case 51:
        result = 17;
        break;
    case 54:
        result = 18;
        break;
    case 57:
        result = 19;
        break;
    case 60:
        result = 20;
        break;
    case 63:
        result = 21;
        break;
    case 66:
        result = 22;
        break;
    case 69:
        result = 23;
        break;
    case 72:
        result = 24;
        break;
    case 75:
        result = 25;
        break;
    case 78:
        result = 26;
        break;
    case 81:
        result = 27;
        break;
    case 84:
        result = 28;
        break;
    case 87:
        result = 29;
        break;
    case 90:
        result = 30;
        break;
    case 93:
        result = 31;
        break;
    case 96:
        result = 32;
        break;
    case 99:
        result = 33;
        break;
    case 102:
        result = 34;
        break;
    case 105:
        result = 35;
        break;
    case 108:
        result = 36;
        break;
    case 111:
        result = 37;
        break;
    case 114:
        result = 38;
        break;
    case 117:
        result = 39;
        break;
    }
    assert(result == -1 || result * 3 == (int)n);
    return 0;
}
