
/* ---- the log, and whether it is one of an execution ---- */
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

static int gs_min(int a, int b) { return a < b ? a : b; }

static int gs_overlap(const struct gs_event *event, uint64_t address, uint32_t size)
{
    return event->address < address + size && address < event->address + event->size;
}

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

static int gs_is_feasible(void)
{
    for (int j = 0; j <= gs_n[GS_U]; j++)
        if (gs_reach[gs_n[GS_T]][j] >= 0)
            return 1;
    return 0;
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
    gs_rows(0);
}

/* The first of the writes of T' that bytes come from which it reads itself; 0 if one of them is as it was. */
static int gs_u_source(int read, uint64_t from, uint64_t to)
{
    int least = read;
    for (uint64_t byte = from; byte < to; byte++) {
        int source = read - 1;
        while (source > 0 && !(gs_log[GS_U][source].kind & (GS_WRITE | GS_FREE) && gs_overlap(&gs_log[GS_U][source], byte, 1)))
            source--;
        least = gs_min(least, source);
    }
    return least;
}

/* If a write of T comes between a read of T' and the write of T' that it reads, T' stops before that read. T' stops before any
 * use of what T has freed. */
static void gs_keep_u_reads(int i, uint64_t address, uint32_t size)
{
    int frees = gs_log[GS_T][i].kind & GS_FREE;
    for (int r = 1; r <= gs_n[GS_U]; r++) {
        struct gs_event *read = &gs_log[GS_U][r];
        if (!(read->kind & (frees ? GS_READ | GS_WRITE | GS_FREE : GS_READ)) || !gs_overlap(read, address, size))
            continue;
        if (frees) {
            for (int j = 0; j < r; j++)
                gs_c[i][j] = (short)gs_min(gs_c[i][j], r - 1);
            continue;
        }
        uint64_t from = read->address > address ? read->address : address;
        uint64_t to = read->address + read->size < address + size ? read->address + read->size : address + size;
        for (int j = gs_u_source(r, from, to); j < r; j++)
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
    int i = ++gs_n[GS_T], n = gs_n[GS_U];
    gs_log[GS_T][i] = (struct gs_event){address, size, site, 0, (uint32_t)gs_thread[GS_T], kind, 0, 0};
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
    gs_rows(i);
    return i;
}

static void gs_note_u(int kind, uint64_t address, uint32_t size, uint32_t site, const unsigned char *bytes)
{
    if (gs_n[GS_U] == GS_EVENTS || gs_pool_top + size > GS_POOL) {
        gs_stop_at_bound(GS_U, "a thread has more events than GS_EVENTS");
        return;
    }
    struct gs_event *event = &gs_log[GS_U][++gs_n[GS_U]];
    *event = (struct gs_event){address, size, site, 0, 0, kind, 0, 0};
    /* Freeing writes, too: an access that takes it fails. */
    if (kind & GS_FREE)
        event->number = ++gs_writes;
    if (kind & GS_WRITE) {
        event->number = ++gs_writes;
        event->bytes = gs_pool_top;
        gs_copy(gs_pool + gs_pool_top, bytes, size);
        gs_pool_top += size;
    }
}

/* Whether an operation that others can see is an event. */
static int gs_is_event(int who, uint32_t site)
{
    if (gs_phase == GS_FORKED)
        gs_refuse("main uses what the threads share while both of them run: that makes three threads", site);
    return who == GS_T ? gs_phase == GS_RUN_T || gs_phase == GS_AFTER : gs_phase == GS_RUN_U;
}

