// Bodies that attract each other: doubles in structs, a square root by hand (no library).
enum { BODIES = 5, STEPS = 2500 };
struct body { double x, y, z, vx, vy, vz, mass; };
static struct body bodies[BODIES] = {
    {0, 0, 0, 0, 0, 0, 39.47},
    {4.84, -1.16, -0.10, 0.60, 2.81, -0.02, 0.037},
    {8.34, 4.12, -0.40, -1.01, 1.82, 0.008, 0.011},
    {12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017},
    {15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.0020},
};

static double root(double value)
{
    double guess = value > 1 ? value : 1;
    for (int i = 0; i < 12; i++)
        guess = (guess + value / guess) / 2;
    return guess;
}

static void advance(double time)
{
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            struct body *a = &bodies[i], *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            double squared = dx * dx + dy * dy + dz * dz;
            double pull = time / (squared * root(squared));
            a->vx -= dx * b->mass * pull, a->vy -= dy * b->mass * pull, a->vz -= dz * b->mass * pull;
            b->vx += dx * a->mass * pull, b->vy += dy * a->mass * pull, b->vz += dz * a->mass * pull;
        }
    for (int i = 0; i < BODIES; i++) {
        bodies[i].x += time * bodies[i].vx;
        bodies[i].y += time * bodies[i].vy;
        bodies[i].z += time * bodies[i].vz;
    }
}

int main(void)
{
    for (int step = 0; step < STEPS; step++)
        advance(0.01);
    double sum = 0;
    for (int i = 0; i < BODIES; i++)
        sum += bodies[i].x * bodies[i].x + bodies[i].y * bodies[i].y;
    return (int)((long)(sum * 1000) % 101);
}
