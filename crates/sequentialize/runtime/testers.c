/* ---- how inputs and assumptions are spelled ---- */
#if defined(GS_FOR_GORDIAN)
extern void gordian_assume(int);
extern unsigned char gordian_uchar(const char *);
extern unsigned short gordian_ushort(const char *);
extern unsigned gordian_uint(const char *);
extern unsigned long gordian_ulong(const char *);
extern _Bool gordian_bool(const char *);
__attribute__((noreturn)) static void gs_infeasible(const char *why) { (void)why; gs_look_at_cuts(); gordian_assume(0); for (;;) ; }
static void gs_suppose(int holds) { gordian_assume(holds); }
static uint64_t gs_draw(unsigned bits, const char *name, int thread, unsigned nth)
{
    (void)thread, (void)nth;
    switch (bits) {
    case 1: return gordian_bool(name);
    case 8: return gordian_uchar(name);
    case 16: return gordian_ushort(name);
    case 32: return gordian_uint(name);
    default: return gordian_ulong(name);
    }
}
/* One program serves for every k, and for every T if main creates both threads: they are its arguments. */
static void gs_begin(int argc, char **argv)
{
    gs_k = argc > 1 ? argv[1][0] - '0' : 0;
    gs_k2 = argc > 2 ? argv[2][0] - '0' : 0;
    gs_number = argc > 3 ? argv[3][0] - '0' : 0;
    for (int i = 0; i < GS_K; i++) {
        gs_rds[i] = gordian_uint("rds");
        gs_wrts[i] = gordian_uint("wrts");
    }
    for (int i = 0; i < GS_K2; i++) {
        gs_rds2[i] = gordian_uint("rds2");
        gs_wrts2[i] = gordian_uint("wrts2");
    }
}
#define gs_draw_guess(bits) gs_draw(bits, "vals2", 0, 0)
#define GS_CRASH(text) __assert_fail(text, __FILE__, __LINE__, __func__)
#elif defined(GS_FOR_KLEE)
#include <klee/klee.h>
__attribute__((noreturn)) static void gs_infeasible(const char *why) { (void)why; gs_look_at_cuts(); klee_silent_exit(0); }
static void gs_suppose(int holds) { klee_assume(holds != 0); }
static uint64_t gs_draw(unsigned bits, const char *name, int thread, unsigned nth)
{
    uint64_t value;
    (void)thread, (void)nth;
    klee_make_symbolic(&value, sizeof value, name[0] ? name : "input");
    if (bits < 64)
        klee_assume(value < UINT64_C(1) << bits);
    return value;
}
static void gs_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    if (GS_MOST_K > 0) {
        klee_make_symbolic(gs_rds, sizeof gs_rds, "rds");
        klee_make_symbolic(gs_wrts, sizeof gs_wrts, "wrts");
    }
    if (GS_MOST_K2 > 0) {
        klee_make_symbolic(gs_rds2, sizeof gs_rds2, "rds2");
        klee_make_symbolic(gs_wrts2, sizeof gs_wrts2, "wrts2");
    }
}
#define gs_draw_guess(bits) gs_draw(bits, "vals2", 0, 0)
#define GS_CRASH(text) __assert_fail(text, __FILE__, __LINE__, __func__)
#elif defined(GS_FOR_SVCOMP)
extern void abort(void) __attribute__((noreturn));
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern _Bool __VERIFIER_nondet_bool(void);
__attribute__((noreturn)) static void gs_infeasible(const char *why)
{
    (void)why;
    gs_look_at_cuts();
    __VERIFIER_assume(0);
    abort();
}
static void gs_suppose(int holds) { __VERIFIER_assume(holds); }
static uint64_t gs_draw(unsigned bits, const char *name, int thread, unsigned nth)
{
    (void)name, (void)thread, (void)nth;
    switch (bits) {
    case 1: return __VERIFIER_nondet_bool();
    case 8: return __VERIFIER_nondet_uchar();
    case 16: return __VERIFIER_nondet_ushort();
    case 32: return __VERIFIER_nondet_uint();
    default: return __VERIFIER_nondet_ulong();
    }
}
static void gs_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < GS_K; i++) {
        gs_rds[i] = __VERIFIER_nondet_uint();
        gs_wrts[i] = __VERIFIER_nondet_uint();
    }
    for (int i = 0; i < GS_K2; i++) {
        gs_rds2[i] = __VERIFIER_nondet_uint();
        gs_wrts2[i] = __VERIFIER_nondet_uint();
    }
}
#define gs_draw_guess(bits) gs_draw(bits, "", 0, 0)
#define GS_CRASH(text) do { reach_error(); abort(); } while (0)
#else
static int gs_argc;
static char **gs_argv;
__attribute__((noreturn)) static void gs_infeasible(const char *why)
{
    gs_look_at_cuts();
    fprintf(stderr, "these inputs make no execution: %s\n", why);
    exit(0);
}
static void gs_suppose(int holds) { if (!holds) gs_infeasible("an assumption about inputs does not hold"); }
/* The text behind NAME= of the nth argument of this name, or null. */
static const char *gs_given(const char *name, unsigned nth)
{
    size_t length = strlen(name);
    for (int i = 1; i < gs_argc; i++)
        if (!strncmp(gs_argv[i], name, length) && gs_argv[i][length] == '=' && nth-- == 0)
            return gs_argv[i] + length + 1;
    return NULL;
}
static uint64_t gs_number(const char *text) { return text[0] == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0); }
/* By the program's name for it, if there is one, or as THREAD.NTH; values are numbers, 0 if nothing is given. */
static uint64_t gs_draw(unsigned bits, const char *name, int thread, unsigned nth)
{
    char place[32];
    snprintf(place, sizeof place, "%d.%u", thread, nth);
    const char *text = gs_given(place, 0);
    if (!text && name[0]) {
        unsigned same = 0;
        for (unsigned i = 0; i < gs_n_inputs; i++)
            same += gs_inputs[i].name && !strcmp(gs_inputs[i].name, name);
        text = gs_given(name, same);
    }
    uint64_t value = text ? gs_number(text) : 0;
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}
static void gs_list(const char *name, uint32_t *numbers, int n)
{
    const char *text = gs_given(name, 0);
    for (int i = 0; i < n; i++) {
        char *end = NULL;
        numbers[i] = text ? (uint32_t)strtoul(text, &end, 10) : 0;
        text = text && *end == ',' ? end + 1 : NULL;
    }
}
static void gs_begin(int argc, char **argv)
{
    gs_argc = argc;
    gs_argv = argv;
    gs_list("rds", gs_rds, GS_K);
    gs_list("wrts", gs_wrts, GS_K);
    gs_list("rds2", gs_rds2, GS_K2);
    gs_list("wrts2", gs_wrts2, GS_K2);
}
/* Values are a list, in the order in which T' takes them. */
GS_UNUSED static uint64_t gs_draw_guess(unsigned bits)
{
    static unsigned nth;
    const char *text = gs_given("vals2", 0);
    for (unsigned i = 0; i < nth && text; i++) {
        text = strchr(text, ',');
        text += text != NULL;
    }
    nth++;
    uint64_t value = text ? gs_number(text) : 0;
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}
#define GS_CRASH(text) __assert_fail(text, __FILE__, __LINE__, __func__)
#endif
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));

__attribute__((noreturn)) static void gs_bound(const char *what);
/* What cannot be done, in a sentence. */
__attribute__((noreturn)) static void gs_refuse(const char *what, uint32_t site)
{
    /* Nobody may ever have written what T' has guessed, so it is left out. */
    if (gs_phase == GS_RUN_U && gs_unconfirmed() > 0)
        gs_bound(what);
#if defined(GS_FOR_GORDIAN) && defined(GS_QUIET)
    (void)site;
    __assert_fail(what, "gordian-sequentialize", 1, "refused");
#else
    fflush(stdout);
    fprintf(stderr, "%s:%u: %s\n", gs_sites[site].file, gs_sites[site].line, what);
    exit(3);
#endif
}

/* What is beyond a bound is not executed, and whoever can hear it is told. */
__attribute__((noreturn)) static void gs_bound(const char *what)
{
#if defined(GS_FOR_GORDIAN)
    __assert_fail(what, "gordian-sequentialize", 1, "bound");
#elif defined(GS_FOR_KLEE) || defined(GS_FOR_SVCOMP)
    gs_cut = NULL;
    gs_infeasible(what);
#else
    fprintf(stderr, "not executed to its end: %s\n", what);
    exit(0);
#endif
}
/* Where T' took something of T that T did not write, there was nothing to cut. */
static void gs_look_at_cuts(void) { if (gs_cut && gs_unconfirmed() == 0) gs_bound(gs_cut); }

static void gs_stop_at_bound(int who, const char *what)
{
    if (who == GS_T)
        gs_bound(what);
    gs_cut = what;
    gs_stopped[who] = 1;
}

/* A thread goes no further: T' keeps what it has done, and T has no execution to go on with. */
static void gs_stop(int who, const char *why)
{
    if (who == GS_T)
        gs_infeasible(why);
    gs_stopped[who] = 1;
}

