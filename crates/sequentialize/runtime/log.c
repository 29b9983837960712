
/* ---- the logs of the threads ---- */
static int gs_min(int a, int b) { return a < b ? a : b; }

static int gs_overlap(const struct gs_event *event, uint64_t address, uint32_t size)
{
    return event->address < address + size && address < event->address + event->size;
}

/* Whether an event uses memory: it accesses it, or a lock, a condition or a semaphore is there. */
static int gs_uses(const struct gs_event *event, uint64_t address, uint32_t size)
{
    return (event->kind & (GS_READ | GS_WRITE | GS_FREE | GS_ACQUIRE | GS_RELEASE | GS_WAIT | GS_POST) && gs_overlap(event, address, size))
        || (event->kind & (GS_SLEEP | GS_SIGNAL) && event->condition - address < size);
}

/* What main reads while threads run is as main left it if none of them writes it: no event, and refused if one does. */
static struct { uint64_t address; uint32_t size; } gs_kept[GS_LOCKS];
static int gs_n_kept;

static const char *gs_shares_with_main(void)
{
    return GS_THREADS > 2 ? "main uses what the threads share while they run, which is not supported"
                          : "main uses what the threads share while both of them run: that makes three threads";
}

static void gs_read_while_forked(uint64_t address, uint32_t size, uint32_t site)
{
    for (int who = 0; who < GS_COPIES; who++)
        for (int e = 1; e <= gs_n[who]; e++)
            if (gs_log[who][e].kind & (GS_WRITE | GS_FREE) && gs_overlap(&gs_log[who][e], address, size))
                gs_refuse(gs_shares_with_main(), site);
    for (int n = 0; n < gs_n_kept; n++)
        if (gs_kept[n].address == address && gs_kept[n].size == size)
            return;
    if (gs_n_kept == GS_LOCKS)
        gs_refuse("main reads too much while threads run", site);
    gs_kept[gs_n_kept].address = address;
    gs_kept[gs_n_kept++].size = size;
}

static void gs_keep_main(int kind, uint64_t address, uint32_t size, uint32_t site)
{
    for (int n = 0; n < gs_n_kept && kind & (GS_WRITE | GS_FREE) && gs_phase != GS_AFTER; n++)
        if (gs_kept[n].address < address + size && address < gs_kept[n].address + gs_kept[n].size)
            gs_refuse(gs_shares_with_main(), site);
}

static void gs_note_u(int kind, uint64_t address, uint32_t size, uint32_t site, const unsigned char *bytes)
{
    if (gs_n[GS_U] == GS_EVENTS || gs_pool_top + size > GS_POOL) {
        gs_stop_at_bound(GS_U, "a thread has more events than GS_EVENTS");
        return;
    }
    gs_keep_main(kind, address, size, site);
    struct gs_event *event = &gs_log[GS_U][++gs_n[GS_U]];
    *event = (struct gs_event){address, size, site, 0, 0, kind, 0, 0, 0};
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
        gs_refuse(gs_shares_with_main(), site);
    return who == GS_T ? gs_phase == GS_RUN_T || gs_phase == GS_AFTER : gs_phase == GS_RUN_U;
}

/* The first of the writes of one of the other threads that bytes come from which it reads itself; 0 if one of them is as it was. What it took
 * from T is there since the read that took it. */
static int gs_u_source(int u, int read, uint64_t from, uint64_t to)
{
    int least = read;
    for (uint64_t byte = from; byte < to; byte++) {
        int source = read - 1;
        while (source > 0 && !gs_is_guessed(source, byte)
               && !(gs_log[u][source].kind & (GS_WRITE | GS_FREE) && gs_overlap(&gs_log[u][source], byte, 1)))
            source--;
        least = gs_min(least, source);
    }
    return least;
}

/* Whether T' does something of a kind to these bytes somewhere. */
static int gs_has_u(int kinds, uint64_t address, uint32_t size)
{
    for (int u = 1; u < GS_COPIES; u++)
        for (int q = 1; q <= gs_n[u]; q++)
            if (gs_log[u][q].kind & kinds && gs_overlap(&gs_log[u][q], address, size))
                return 1;
    return 0;
}

#if !defined(GS_QUIET)
static const char *gs_verb(int kind)
{
    switch (kind) {
    case GS_READ: return "reads";
    case GS_WRITE: return "writes";
    case GS_READ | GS_WRITE: return "updates";
    case GS_FREE: return "frees";
    case GS_ACQUIRE: return "locks";
    case GS_RELEASE: return "unlocks";
    case GS_JOIN: return "joins";
    case GS_BEGIN: return "begins";
    case GS_SIGNAL: case GS_SIGNAL | GS_ALL: return "signals";
    case GS_RELEASE | GS_SLEEP: return "sleeps";
    case GS_WAIT: return "waits";
    case GS_POST: return "posts";
    default: return "ends";
    }
}

/* `wakes` is the number of the thread that a signal wakes, where several sleep, or 0. */
static void gs_print_event(const char *what, int who, int nth, int wakes)
{
    const struct gs_event *event = &gs_log[who][nth];
    const struct gs_site *site = &gs_sites[event->site];
    /* Waking is no event of its own: the signal does it, and then the thread locks again. */
    if (event->kind & (GS_WOKEN | GS_MORE))
        return;
    /* Events of T have the number of their thread, since main may go on with its copy; those of T' their number as a write. */
    unsigned thread = who == GS_T ? event->number : (unsigned)gs_thread[who];
    printf("%s %u %u %u %s %s:%u", what, thread, site->function, site->pc, gs_verb(event->kind), site->file, site->line);
    if (who == GS_T && event->source)
        printf(" takes write %u", gs_log[event->source_of][event->source].number);
    for (int n = 0; n < gs_next2 && who == GS_U; n++)
        if (gs_guess_event(n) == nth)
            printf(" takes write %u", gs_wrts2[n]);
    if (wakes)
        printf(" wakes %d", wakes);
    printf("\n");
}
#endif
