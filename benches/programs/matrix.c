// Product of two matrices of doubles: address arithmetic and floating point.
enum { N = 130 };
static double a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j) % 13;
            b[i][j] = (i + j * 5) % 11;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    double trace = 0;
    for (int i = 0; i < N; i++)
        trace += c[i][i];
    return (int)((long)trace % 101);
}
