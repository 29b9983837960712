
/* ---- whether two logs are those of an execution ---- */
/* After i events of T and j of T', gs_reach[i][j] is how far T' can go at most by some order that leads there, or -1 if none
 * does. gs_h[i][j] forbids event j of T' after i events of T, gs_v[i][j] event i of T after j of T', gs_s[i][j] the state itself. After event i of
 * T, if it comes after j of T', T' can go no further than gs_c[i][j]: it would read then what T wrote. Since T' may stop
 * anywhere, that forbids nothing yet. */
static unsigned short gs_h[GS_EVENTS + 1][GS_EVENTS + 1];
static unsigned char gs_v[GS_EVENTS + 1][GS_EVENTS + 1];
static unsigned char gs_s[GS_EVENTS + 1][GS_EVENTS + 1];
static short gs_c[GS_EVENTS + 1][GS_EVENTS + 1], gs_reach[GS_EVENTS + 1][GS_EVENTS + 1];
static unsigned char gs_u_in_section[GS_EVENTS + 1];
static int gs_u_release[GS_EVENTS + 1];

/* Whether an event wakes a thread whose last event is another one: it wakes whoever sleeps, and only with it the sleeper goes on. */
static int gs_wakes(const struct gs_event *signal, const struct gs_event *sleeper)
{
    return signal->kind & GS_SIGNAL && sleeper->kind & GS_SLEEP && signal->condition == sleeper->condition;
}

/* How far T' can go if event i of T and event j of T' happen at once, one of them waking the other thread; -1 if that cannot be. */
static int gs_at_once(int i, int j)
{
    if (i == 0 || j == 0 || gs_reach[i - 1][j - 1] < j)
        return -1;
    const struct gs_event *t = &gs_log[GS_T][i], *u = &gs_log[GS_U][j];
    if (t->kind & GS_WOKEN && gs_wakes(u, t - 1) && !gs_h[i - 1][j])
        return gs_reach[i - 1][j - 1];
    if (u->kind & GS_WOKEN && gs_wakes(t, u - 1) && !gs_v[i][j - 1])
        return gs_min(gs_reach[i - 1][j - 1], gs_c[i][j - 1]);
    return -1;
}

/* Whether event i of T can happen by itself after j events of T', and event j of T' after i of T. */
static int gs_moves_t(int i, int j)
{
    const struct gs_event *t = &gs_log[GS_T][i];
    return !gs_v[i][j] && !(t->kind & GS_WOKEN) && !(j > 0 && gs_wakes(t, &gs_log[GS_U][j]));
}
static int gs_moves_u(int i, int j)
{
    const struct gs_event *u = &gs_log[GS_U][j];
    return !gs_h[i][j] && !(u->kind & GS_WOKEN) && !(i > 0 && gs_wakes(u, &gs_log[GS_T][i]));
}

static void gs_rows(int from)
{
    int n = gs_n[GS_U];
    for (int i = from; i <= gs_n[GS_T]; i++)
        for (int j = 0; j <= n; j++) {
            int here = i == 0 && j == 0 ? n : gs_at_once(i, j);
            if (i > 0 && gs_reach[i - 1][j] >= 0 && gs_moves_t(i, j) && gs_min(gs_reach[i - 1][j], gs_c[i][j]) > here)
                here = gs_min(gs_reach[i - 1][j], gs_c[i][j]);
            if (j > 0 && gs_reach[i][j - 1] >= j && gs_moves_u(i, j) && gs_reach[i][j - 1] > here)
                here = gs_reach[i][j - 1];
            gs_reach[i][j] = (short)(gs_s[i][j] ? -1 : here);
        }
}

/* T has ended, and main goes on: what T' does may still come before that. */
static int gs_is_between;

/* Whether event i of T can be the last one of all, after j events of T'. */
static int gs_ends_by_t(int i, int j)
{
    return i > 0 && !gs_s[i][j] && ((gs_reach[i - 1][j] >= 0 && gs_moves_t(i, j)) || gs_at_once(i, j) >= 0);
}

/* How far T' goes at least, and -1 if there is no order in which it makes its first `least` events. What it must do comes before the last event of
 * T, with which T fails. */
static int gs_end_of_u(int least)
{
    for (int j = least; j <= gs_n[GS_U]; j++)
        if (gs_reach[gs_n[GS_T]][j] >= 0 && (least == 0 || gs_is_between || gs_ends_by_t(gs_n[GS_T], j)))
            return j;
    return -1;
}

static int gs_is_feasible(void) { return gs_end_of_u(0) >= 0; }

/* Whether T fails only after an event of T' with which T' fails itself, as the machine does it: that failure is first. */
GS_UNUSED static int gs_is_overtaken(void)
{
    return gs_failed[GS_U] && gs_n[GS_U] > 0 && gs_end_of_u(gs_least_u()) == gs_n[GS_U];
}

/* A semaphore never counts below zero. */
static void gs_keep_semaphores(int i)
{
    for (int s = 0; s < gs_n_semaphores; s++) {
        const struct gs_semaphore *semaphore = &gs_semaphores[s];
        int64_t count = semaphore->value + (i > 0 ? semaphore->by[GS_T] : 0);
        for (int j = 0; j <= gs_n[GS_U]; j++) {
            const struct gs_event *event = &gs_log[GS_U][j];
            if (j > 0 && event->kind & (GS_WAIT | GS_POST) && event->address == semaphore->address)
                count += event->kind & GS_POST ? 1 : -1;
            if (count < 0)
                gs_s[i][j] = 1;
        }
    }
}

/* T' does not wait for T in vain: forbids after i events of T that it goes on, or takes that back. */
static void gs_keep_joins(int i, int by)
{
    for (int j = 1; j <= gs_n[GS_U]; j++)
        if (gs_log[GS_U][j].kind & GS_JOIN)
            gs_h[i][j] = (unsigned short)(gs_h[i][j] + by);
}

/* T' has gone as far as it goes. */
static void gs_close_u(void)
{
    int section = 0;
    for (int j = 1; j <= gs_n[GS_U]; j++) {
        struct gs_event *event = &gs_log[GS_U][j];
        section = event->kind & GS_BEGIN ? 1 : event->kind & GS_END ? 0 : section;
        gs_u_in_section[j] = (unsigned char)section;
        if (!(event->kind & GS_ACQUIRE))
            continue;
        gs_u_release[j] = gs_n[GS_U] + 1;
        for (int r = j + 1; r <= gs_n[GS_U]; r++)
            if (gs_log[GS_U][r].kind & GS_RELEASE && gs_log[GS_U][r].address == event->address) {
                gs_u_release[j] = r;
                break;
            }
    }
    gs_keep_semaphores(0);
    gs_keep_joins(0, 1);
    gs_keep_guesses_closed(0);
    gs_rows(0);
    if (gs_next2 < GS_K2 && !gs_cut)
        gs_infeasible("T' has fewer non-local reads than that");
}

/* T has ended, and main goes on with its log. */
GS_UNUSED static void gs_close_t(void)
{
    gs_is_between = 1;
    gs_keep_joins(gs_n[GS_T], -1);
    gs_rows(gs_n[GS_T]);
}

/* If a write of T comes between a read of T' and the write of T' that it reads, T' stops before that read. T' stops before any
 * use of what T has freed. */
static void gs_keep_u_reads(int i, uint64_t address, uint32_t size)
{
    int frees = gs_log[GS_T][i].kind & GS_FREE;
    for (int r = 1; r <= gs_n[GS_U]; r++) {
        struct gs_event *read = &gs_log[GS_U][r];
        if (frees ? !gs_uses(read, address, size) : !(read->kind & GS_READ) || !gs_overlap(read, address, size) || gs_is_guess(r))
            continue;
        if (frees) {
            for (int j = 0; j < r; j++)
                gs_c[i][j] = (short)gs_min(gs_c[i][j], r - 1);
            continue;
        }
        uint64_t from = read->address > address ? read->address : address;
        uint64_t to = read->address + read->size < address + size ? read->address + read->size : address + size;
        for (int j = gs_u_source(GS_U, r, from, to); j < r; j++)
            gs_c[i][j] = (short)gs_min(gs_c[i][j], r - 1);
    }
}

static void gs_keep_locks(int i)
{
    for (int l = 0; l < gs_n_locks[GS_T]; l++)
        for (int a = 1; a <= gs_n[GS_U]; a++) {
            struct gs_event *acquire = &gs_log[GS_U][a];
            if (!(acquire->kind & GS_ACQUIRE) || acquire->address != gs_locks[GS_T][l].lock
                || (acquire->size == 2 && gs_locks[GS_T][l].acquired == 2))
                continue;
            for (int j = a; j < gs_u_release[a]; j++)
                gs_s[i][j] = 1;
        }
}

static int gs_push(int kind, uint64_t address, uint32_t size, uint32_t site)
{
    if (gs_n[GS_T] == GS_EVENTS)
        gs_bound("a thread has more events than GS_EVENTS");
    gs_keep_main(kind, address, size, site);
    gs_is_between = 0;
    int i = ++gs_n[GS_T], n = gs_n[GS_U];
    gs_log[GS_T][i] = (struct gs_event){address, size, site, 0, (uint32_t)gs_thread[GS_T], kind, 0, GS_U, 0};
    for (int j = 0; j <= n; j++) {
        gs_h[i][j] = gs_atomic[GS_T] > 0;
        gs_v[i][j] = gs_u_in_section[j] || (kind & GS_JOIN && j < n);
        gs_s[i][j] = 0;
        gs_c[i][j] = (short)n;
    }
    if (kind & (GS_WRITE | GS_FREE))
        gs_keep_u_reads(i, address, size);
    gs_keep_locks(i);
    gs_keep_semaphores(i);
    if (gs_phase == GS_RUN_T)
        gs_keep_joins(i, 1);
    gs_keep_guesses_closed(i);
    gs_rows(i);
    return i;
}

static void gs_push_condition(int kind, uint64_t address, uint64_t condition, uint32_t site)
{
    int i = gs_push(kind, address, 1, site);
    gs_log[GS_T][i].condition = condition;
    gs_rows(i);
}

/* The last event of T, which reads, writes, too. */
GS_UNUSED static void gs_becomes_write(void)
{
    int i = gs_n[GS_T];
    struct gs_event *event = &gs_log[GS_T][i];
    event->kind |= GS_WRITE;
    gs_keep_main(GS_WRITE, event->address, event->size, event->site);
    gs_keep_u_reads(i, event->address, event->size);
    gs_rows(i);
}

#if !defined(GS_QUIET)
/* One order of all events of T and as few as possible of T'. */
static void gs_print_order(void)
{
    static unsigned char path[2 * GS_EVENTS + 2];
    int i = gs_n[GS_T], j = gs_end_of_u(gs_least_u()), n = 0;
    while (i > 0 || j > 0) {
        int at_once = gs_at_once(i, j) >= 0 && gs_at_once(i, j) == gs_reach[i][j];
        /* Where T fails, how far T' could still go is no matter. */
        int is_end = n == 0 && gs_least_u() > 0 && !gs_is_between;
        int by_t = !at_once && i > 0 && gs_reach[i - 1][j] >= 0 && gs_moves_t(i, j)
            && (is_end || gs_min(gs_reach[i - 1][j], gs_c[i][j]) == gs_reach[i][j]);
        path[n++] = (unsigned char)(by_t | at_once << 1);
        i -= by_t | at_once;
        j -= !by_t;
    }
    for (i = j = 0; n > 0;) {
        int step = path[--n];
        if (step)
            gs_print_event("event", GS_T, ++i, 0);
        if (step != 1)
            gs_print_event("event", GS_U, ++j, 0);
    }
    /* What T' would do next, for whoever follows the order and must not go that far. */
    while (j < gs_n[GS_U])
        gs_print_event("rest", GS_U, ++j, 0);
}
#endif
