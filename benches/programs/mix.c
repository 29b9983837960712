// The kind of loop that a hash function is: shifts, rotations, exclusive ors on registers.
static unsigned rotate(unsigned value, int by)
{
    return value << by | value >> (32 - by);
}

int main(void)
{
    unsigned h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (unsigned block = 0; block < 120000; block++) {
        unsigned a = h[block & 7], b = h[(block + 1) & 7], c = h[(block + 2) & 7];
        unsigned s0 = rotate(a, 6) ^ rotate(a, 11) ^ rotate(a, 25);
        unsigned choice = (a & b) ^ (~a & c);
        unsigned s1 = rotate(b, 2) ^ rotate(b, 13) ^ rotate(b, 22);
        h[(block + 3) & 7] += s0 + choice + block * 0x428a2f98u;
        h[(block + 5) & 7] ^= s1 + (choice >> 3);
    }
    unsigned sum = 0;
    for (int i = 0; i < 8; i++)
        sum ^= h[i];
    return (int)(sum % 101);
}
