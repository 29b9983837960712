// Structures passed and returned by value: small, large, float pairs, mixed, nested, arrays inside, many arguments.
//@ native
#include <stdio.h>

struct pair { int a, b; };
struct three { char a; short b; int c; };
struct words { long a, b; };
struct large { long w[6]; };
struct fpair { float x, y; };
struct f3 { float x, y, z; };
struct dpair { double x, y; };
struct mixed { int i; double d; };
struct odd { char bytes[7]; };
struct single { float f; };
struct nested { struct fpair f; struct pair p; };
struct empty { };

static struct pair swap(struct pair p) { return (struct pair){ p.b, p.a }; }
static struct three bump(struct three t) { return (struct three){ (char)(t.a + 1), (short)(t.b + 1), t.c + 1 }; }
static struct words product(struct words a, struct words b) { return (struct words){ a.a * b.a, a.b * b.b }; }
static struct large shift(struct large l, int by)
{
	struct large r = { { 0 } };
	for (int i = 0; i < 6; i++)
		r.w[(i + by) % 6] = l.w[i];
	l.w[0] = -1;
	return r;
}
static struct fpair rotate(struct fpair p) { return (struct fpair){ -p.y, p.x }; }
static struct f3 cross(struct f3 a, struct f3 b)
{
	return (struct f3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static struct dpair middle(struct dpair a, struct dpair b) { return (struct dpair){ (a.x + b.x) / 2, (a.y + b.y) / 2 }; }
static struct mixed combine(struct mixed a, int k, struct mixed b) { return (struct mixed){ a.i * k + b.i, a.d * k + b.d }; }
static struct odd reverse(struct odd o)
{
	struct odd r;
	for (int i = 0; i < 7; i++)
		r.bytes[i] = o.bytes[6 - i];
	return r;
}
static struct single half(struct single s) { s.f /= 2; return s; }
static struct nested flip(struct nested n) { return (struct nested){ rotate(n.f), swap(n.p) }; }
static int count(struct empty e, int n) { (void)e; return n; }

static long many(struct pair a, struct dpair b, struct large c, struct fpair d, struct words e, struct mixed f, struct words g, struct words h)
{
	return a.a + (long)b.y + c.w[5] + (long)d.x + e.b + (long)f.d + g.a + h.b;
}

static struct large recursive(int n, struct large l)
{
	if (n == 0)
		return l;
	l.w[n % 6] += n;
	return recursive(n - 1, l);
}

int main(void)
{
	struct pair p = swap((struct pair){ 1, 2 });
	struct three t = bump((struct three){ 'a', -1, 41 });
	struct words w = product((struct words){ 3, 5 }, (struct words){ 7, -11 });
	struct large l = { { 1, 2, 3, 4, 5, 6 } }, shifted = shift(l, 2);
	printf("%d %d %c %d %d %ld %ld\n", p.a, p.b, t.a, t.b, t.c, w.a, w.b);
	printf("%ld %ld %ld %ld\n", l.w[0], shifted.w[0], shifted.w[2], shifted.w[5]);
	struct fpair f = rotate((struct fpair){ 1.5f, 2.5f });
	struct f3 c = cross((struct f3){ 1, 0, 0 }, (struct f3){ 0, 1, 0 });
	struct dpair m = middle((struct dpair){ 1, 2 }, (struct dpair){ 4, 8 });
	struct mixed x = combine((struct mixed){ 2, 0.5 }, 10, (struct mixed){ 3, 0.25 });
	printf("%g %g %g %g %g %g %g %d %g\n", f.x, f.y, c.x, c.y, c.z, m.x, m.y, x.i, x.d);
	printf("%.7s %g\n", reverse((struct odd){ "drawers" }).bytes, half((struct single){ 5 }).f);
	struct nested n = flip((struct nested){ { 1, 2 }, { 3, 4 } });
	printf("%g %g %d %d %d\n", n.f.x, n.f.y, n.p.a, n.p.b, count((struct empty){ }, 9));
	printf("%ld\n", many(p, m, l, f, w, x, w, (struct words){ 100, 1000 }));
	struct large deep = recursive(100, l);
	printf("%ld %ld %ld\n", deep.w[0], deep.w[3], recursive(7, deep).w[1]);
	struct pair (*through)(struct pair) = swap;
	struct pair pairs[2] = { through(p), p };
	pairs[1] = pairs[0];
	printf("%d %d %d\n", pairs[1].a, pairs[1].b, through(through(p)).a);
	return 0;
}
