
/* The lazy runtime: T' runs first and numbers its events; T guesses at each of its events how many of them come before.
 * Nothing here is indexed by what a tester guesses, but rds and wrts. */
#if defined(GS_FOR_CBMC)
#if !defined(__CPROVER__)
extern void __CPROVER_assume(_Bool);
extern void __CPROVER_assert(_Bool, const char *);
#endif
extern uint64_t nondet_gs_u64(void);
extern unsigned short nondet_gs_u16(void);
#define gs_suppose(holds) __CPROVER_assume(holds)
#define gs_error(what) __CPROVER_assert(0, what)
#define gs_any_u64() nondet_gs_u64()
#define gs_any_u16() nondet_gs_u16()
#elif defined(GS_FOR_GORDIAN)
extern void gordian_assume(int);
extern unsigned short gordian_ushort(const char *);
extern unsigned long gordian_ulong(const char *);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#define gs_suppose(holds) gordian_assume((holds) != 0)
#define gs_error(what) __assert_fail(what, "gordian-sequentialize", 1, "failed")
#define gs_any_u64() gordian_ulong("value")
#define gs_any_u16() gordian_ushort("number")
#else
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
#define gs_suppose(holds) __VERIFIER_assume(holds)
#define gs_error(what) reach_error()
#define gs_any_u64() __VERIFIER_nondet_ulong()
#define gs_any_u16() __VERIFIER_nondet_ushort()
#endif

static unsigned short gs_rds[GS_MOST_K + 1] GS_UNUSED, gs_wrts[GS_MOST_K + 1] GS_UNUSED;
static unsigned short gs_rds2[GS_MOST_K2 + 1] GS_UNUSED, gs_wrts2[GS_MOST_K2 + 1] GS_UNUSED;
static uint64_t gs_vals2[GS_MOST_K2 + 1] GS_UNUSED;
static unsigned short gs_reads2 GS_UNUSED, gs_writes2 GS_UNUSED, gs_next2 GS_UNUSED, gs_least GS_UNUSED, gs_between GS_UNUSED;
static unsigned short gs_reads GS_UNUSED, gs_writes GS_UNUSED, gs_next GS_UNUSED;
static unsigned short gs_pos GS_UNUSED, gs_was GS_UNUSED, gs_cap GS_UNUSED, gs_n_events GS_UNUSED, gs_u_atomic GS_UNUSED;
static unsigned char gs_atomic GS_UNUSED, gs_u_depth GS_UNUSED;
static unsigned gs_n_inputs[9] GS_UNUSED;

GS_UNUSED static void gs_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
#if defined(GS_FOR_GORDIAN)
    /* One program serves for every k, which is its argument. */
    gs_k = argc > 1 ? (unsigned)(argv[1][0] - '0') : 0;
    gs_k2 = argc > 2 ? (unsigned)(argv[2][0] - '0') : 0;
#endif
    for (unsigned i = 0; i != GS_K; i++) {
        gs_rds[i] = gs_any_u16();
        gs_wrts[i] = gs_any_u16();
    }
    for (unsigned i = 0; i != GS_K2; i++) {
        gs_rds2[i] = gs_any_u16();
        gs_wrts2[i] = gs_any_u16();
    }
}

/* No execution goes on like this. */
GS_UNUSED static void gs_stop(void) { gs_suppose(0); abort(); }

#define gs_fail(what) do { if (gs_next == GS_K && gs_next2 == GS_K2) gs_error(what); gs_stop(); } while (0)
/* What cannot be done, and what is beyond a bound: a failure of the tool if somebody asks, and else no execution. */
#if defined(GS_FOR_SVCOMP)
#define gs_refuse(what) gs_stop()
#else
#define gs_refuse(what) do { gs_error("refused: " what); gs_stop(); } while (0)
#endif
#if defined(GS_REPORT_BOUNDS) && !defined(GS_FOR_SVCOMP)
#define gs_bound(what) gs_error("bound: " what)
#else
#define gs_bound(what) ((void)0)
#endif
#define gs_clear(array) for (unsigned i = 0; i < sizeof array / sizeof array[0]; i++) array[i] = 0
#define gs_copy(to, from) for (unsigned i = 0; i < sizeof from / sizeof from[0]; i++) to[i] = from[i]

GS_UNUSED static int gs_is_taken(void) { return gs_next != GS_K && gs_rds[gs_next] == gs_reads; }
GS_UNUSED static unsigned short gs_taken(void) { return gs_wrts[gs_next]; }

/* The position of T's next event. */
GS_UNUSED static unsigned short gs_step(void)
{
    unsigned short position = gs_any_u16();
    gs_suppose((position >= gs_pos) & (position <= gs_cap) & (!gs_atomic | (position == gs_pos)));
    return position;
}

#if defined(GS_TIMES)
/* Times of events of the other threads, if there are several. */
#define GS_NEVER 65535
static unsigned short gs_last GS_UNUSED;

/* The next event of the thread that runs: its time ends with the number of the thread. */
GS_UNUSED static unsigned short gs_time(unsigned number)
{
    unsigned short time = gs_any_u16();
    gs_suppose((time == GS_NEVER) | ((time > gs_last) & (time < GS_TIMES) & ((time & 7) == number)));
    gs_last = time;
    return time;
}

/* It is woken, when somebody else signals. */
GS_UNUSED static unsigned short gs_time_of_another(void)
{
    unsigned short time = gs_any_u16();
    gs_suppose((time == GS_NEVER) | ((time > gs_last) & (time < GS_TIMES)));
    gs_last = time;
    return time;
}

GS_UNUSED static int gs_is_by_t(unsigned short time) { return (time & 7) == 0; }

/* T signals, and somebody is woken. */
GS_UNUSED static unsigned short gs_time_of_t(void)
{
    unsigned short time = gs_any_u16();
    gs_suppose((time > gs_pos) & (time < GS_TIMES) & gs_is_by_t(time));
    return time;
}
#endif

GS_UNUSED static uint64_t gs_draw_1(void) { return gs_any_u64() & 1; }
GS_UNUSED static uint64_t gs_draw_8(void) { return gs_any_u64() & 0xff; }
GS_UNUSED static uint64_t gs_draw_16(void) { return gs_any_u64() & 0xffff; }
GS_UNUSED static uint64_t gs_draw_32(void) { return gs_any_u64() & 0xffffffff; }
GS_UNUSED static uint64_t gs_draw_64(void) { return gs_any_u64(); }
