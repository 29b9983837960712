// Primes below SIZE by the sieve of Eratosthenes: loops, byte loads and stores.
enum { SIZE = 400000, ROUNDS = 4 };
static unsigned char composite[SIZE];

static int sieve(void)
{
    int count = 0;
    for (int i = 0; i < SIZE; i++)
        composite[i] = 0;
    for (int i = 2; i < SIZE; i++) {
        if (composite[i])
            continue;
        count++;
        for (long j = (long)i * i; j < SIZE; j += i)
            composite[j] = 1;
    }
    return count;
}

int main(void)
{
    int count = 0;
    for (int round = 0; round < ROUNDS; round++)
        count += sieve();
    return count % 101;
}
