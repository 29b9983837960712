/* ---- what T reads ---- */
/* For each byte of a read of T: the event of T that it comes from, and the event of T' if that took one; 0 if it is as it was. */
struct gs_sources { int event[GS_BULK]; int taken[GS_BULK]; };
static struct gs_sources gs_sources;

/* A read that takes a write of T' takes all of it, so that other bytes of the write are there for later reads: those that T has
 * not written itself, and that come from no later write of T'. */
static void gs_find_sources(int i, uint64_t address, uint32_t size)
{
    static unsigned char was_read[GS_BULK], known[GS_BULK];
    uint32_t left = size;
    for (uint32_t b = 0; b < size; b++)
        gs_sources.event[b] = gs_sources.taken[b] = was_read[b] = known[b] = 0;
    for (int t = i - 1; t > 0 && left > 0; t--) {
        const struct gs_event *event = &gs_log[GS_T][t], *write = &gs_log[GS_U][event->source];
        int owns = event->kind & (GS_WRITE | GS_FREE) && gs_overlap(event, address, size);
        int takes = event->source && gs_overlap(write, address, size);
        for (uint32_t b = 0; b < size && (owns || takes); b++) {
            if (known[b])
                continue;
            int is_own = owns && gs_overlap(event, address + b, 1);
            if (is_own && !was_read[b]) {
                gs_sources.event[b] = t;
                gs_sources.taken[b] = 0;
            } else if (!is_own && takes && gs_overlap(write, address + b, 1)) {
                was_read[b] |= gs_overlap(event, address + b, 1);
                if (event->source > gs_sources.taken[b]) {
                    gs_sources.event[b] = t;
                    gs_sources.taken[b] = event->source;
                }
            }
            known[b] = (unsigned char)is_own;
            left -= (uint32_t)is_own;
        }
    }
}

/* The first row in which something has changed that gs_rows has not seen. */
static int gs_dirty;

/* Counts how many rules forbid it, so that each can be taken back. */
static void gs_forbid(int q, int from, int to, int by)
{
    for (int i = from; i <= to; i++) {
        int was = gs_h[i][q] > 0;
        gs_h[i][q] = (unsigned short)(gs_h[i][q] + by);
        if (was != (gs_h[i][q] > 0) && i < gs_dirty)
            gs_dirty = i;
    }
}

/* For each byte of the read that T makes: the event of T' that it takes, or 0. */
static int gs_takes_from[GS_BULK];

/* States that read i of T takes what T has, as far as it takes nothing: no write of T' in between. */
static void gs_say_local(int i)
{
    const struct gs_event *read = &gs_log[GS_T][i];
    gs_dirty = i;
    for (int q = 1; q <= gs_n[GS_U]; q++) {
        const struct gs_event *write = &gs_log[GS_U][q];
        if (!(write->kind & (GS_WRITE | GS_FREE)) || !gs_overlap(write, read->address, read->size))
            continue;
        int from = i;
        for (uint32_t b = 0; b < read->size; b++) {
            if (gs_takes_from[b] || !gs_overlap(write, read->address + b, 1))
                continue;
            if (gs_sources.taken[b])
                from = q > gs_sources.taken[b] ? 0 : from;
            else
                from = gs_min(from, gs_sources.event[b]);
        }
        gs_forbid(q, from, i - 1, 1);
    }
    gs_rows(gs_dirty);
}

/* Whether byte b of read i can be of write p of T', or is, if it is known which bytes are. */
static int gs_is_of(const struct gs_event *read, uint32_t b, int p, int known)
{
    return known ? gs_takes_from[b] == p : gs_overlap(&gs_log[GS_U][p], read->address + b, 1);
}

/* States, or takes back (`by` is -1), that read i of T takes event p of T': p comes before it and after what T wrote there itself,
 * and later writes of T' come after it. */
static void gs_say_nonlocal(int i, int p, int known, int by)
{
    const struct gs_event *read = &gs_log[GS_T][i];
    int last = known ? 0 : i;
    gs_dirty = i;
    for (int j = 0; j < p; j++)
        gs_v[i][j] = (unsigned char)(gs_v[i][j] + by);
    for (uint32_t b = 0; b < read->size; b++) {
        int own = gs_sources.taken[b] ? 0 : gs_sources.event[b];
        if (gs_is_of(read, b, p, known) && (known ? own > last : own < last))
            last = own;
    }
    gs_forbid(p, 0, last - 1, by);
    for (int q = p + 1; q <= gs_n[GS_U]; q++) {
        const struct gs_event *write = &gs_log[GS_U][q];
        int overwrites = 0;
        for (uint32_t b = 0; b < read->size && write->kind & (GS_WRITE | GS_FREE) && known; b++)
            overwrites |= gs_is_of(read, b, p, known) && gs_overlap(write, read->address + b, 1);
        /* Of several writes that the read takes, the last ones may leave only a byte of this one. */
        if (!known)
            overwrites = write->kind & (GS_WRITE | GS_FREE) && write->address <= gs_log[GS_U][p].address
                && gs_log[GS_U][p].address + gs_log[GS_U][p].size <= write->address + write->size;
        if (!known && write->kind & (GS_WRITE | GS_FREE) && write->address <= read->address
            && read->address + read->size <= write->address + write->size)
            overwrites = 1;
        if (overwrites)
            gs_forbid(q, 0, i - 1, by);
    }
    gs_rows(gs_dirty);
}

static int gs_can_take(int i, int p)
{
    gs_say_nonlocal(i, p, 0, 1);
    int can = gs_is_feasible();
    gs_say_nonlocal(i, p, 0, -1);
    return can;
}

static int gs_is_used(int p)
{
    for (int i = 1; i <= gs_n[GS_T]; i++)
        if (gs_log[GS_T][i].source == p)
            return 1;
    return 0;
}

/* T has taken another part of write p, and has written here itself, before or after p: only the order would say. */
static void gs_check_part(int i, int p)
{
    const struct gs_event *read = &gs_log[GS_T][i], *write = &gs_log[GS_U][p];
    for (uint32_t b = 0; b < read->size; b++)
        if (gs_overlap(write, read->address + b, 1) && gs_sources.taken[b] < p) {
            if (gs_can_take(i, p))
                gs_refuse("a read may take a part of a write of which another part was read before, or T's own, which is not supported", read->site);
            return;
        }
}

static unsigned char gs_may_take[GS_EVENTS + 1];

/* Whether each write that read i takes already keeps a byte if it takes write p too. */
static int gs_leaves_some(int i, int p)
{
    const struct gs_event *read = &gs_log[GS_T][i];
    for (int t = i; gs_log[GS_T][t].source; t--) {
        int is_left = 0;
        for (uint32_t b = 0; b < read->size; b++)
            is_left |= gs_takes_from[b] == gs_log[GS_T][t].source && !gs_overlap(&gs_log[GS_U][p], read->address + b, 1);
        if (!is_left)
            return 0;
        if (!(gs_log[GS_T][t].kind & GS_MORE))
            break;
    }
    return 1;
}

/* The writes of T' behind event `after` that read i of T can take. An access that only writes can take what frees. */
static int gs_find_candidates(int i, int after)
{
    const struct gs_event *read = &gs_log[GS_T][i];
    int any = 0, kinds = read->kind & GS_READ ? GS_WRITE | GS_FREE : GS_FREE, may_take = gs_next < GS_K && gs_sites[read->site].reads;
    for (int p = 1; p <= gs_n[GS_U]; p++) {
        const struct gs_event *write = &gs_log[GS_U][p];
        gs_may_take[p] = 0;
        if (p <= after || !(write->kind & kinds) || !gs_overlap(write, read->address, read->size))
            continue;
        if (gs_is_used(p)) {
            gs_check_part(i, p);
            continue;
        }
        if (!may_take || !gs_sites[write->site].writes || (after > 0 && !gs_leaves_some(i, p)))
            continue;
        gs_may_take[p] = (unsigned char)gs_can_take(i, p);
        any |= gs_may_take[p];
    }
    return any;
}

/* Copies to T what write p of T' wrote and T has not. */
static void gs_take(int i, int p, uint32_t base)
{
    static struct gs_sources kept;
    const struct gs_event *write = &gs_log[GS_U][p];
    if (write->size > GS_BULK)
        gs_refuse("a thread reads from a write of more bytes than GS_BULK", gs_log[GS_T][i].site);
    kept = gs_sources;
    gs_log[GS_T][i].source = p;
    gs_find_sources(i + 1, write->address, write->size);
    for (uint32_t b = 0; b < write->size; b++)
        if (gs_sources.taken[b] == p || gs_overlap(&gs_log[GS_T][i], write->address + b, 1))
            gs_memory[GS_T][base + (uint32_t)(write->address & 0x3fffffff) - 0x100000 + b] = gs_pool[write->bytes + b];
    gs_sources = kept;
}

/* The write that the inputs say the access takes next. */
static int gs_chosen(void)
{
    for (int p = 1; p <= gs_n[GS_U]; p++)
        if (gs_may_take[p] && gs_wrts[gs_next] == gs_log[GS_U][p].number)
            return p;
    gs_infeasible("the write does not go with the read");
}

/* States what access i and the following ones take, which are one: T' does nothing in between. */
static void gs_say_taken(int i, uint32_t size)
{
    for (int t = i; t <= gs_n[GS_T]; t++) {
        int p = gs_log[GS_T][t].source, is_left = 0;
        for (uint32_t b = 0; b < size; b++)
            is_left |= gs_takes_from[b] == p;
        if (!is_left)
            gs_infeasible("a write that the read takes is overwritten by another one that it takes");
        for (int j = 0; j <= gs_n[GS_U] && t < gs_n[GS_T]; j++)
            gs_h[t][j]++;
        gs_say_nonlocal(t, p, 1, 1);
    }
    gs_rows(i);
}

/* If the inputs say so, access i of T takes writes of T', first ones first; true if it does. With more than one it becomes several
 * events, of which the first is printed. */
static int gs_takes(int i, uint32_t base)
{
    struct gs_event event = gs_log[GS_T][i];
    uint32_t number = ++gs_reads;
    int after = 0, first = i;
    for (uint32_t b = 0; b < event.size; b++)
        gs_takes_from[b] = 0;
    while (gs_find_candidates(i, after) && gs_rds[gs_next] == number) {
        int p = gs_chosen();
        if (after > 0)
            i = gs_push(event.kind | GS_MORE, event.address, event.size, event.site);
        gs_next++;
        gs_epoch[GS_T]++;
        if (gs_log[GS_U][p].kind & GS_FREE) {
            gs_say_nonlocal(i, p, 0, 1);
            gs_log[GS_T][i].source = p;
            gs_n_nonlocal++;
            gs_fail(GS_T, GS_FREED, event.site);
        }
        for (uint32_t b = 0; b < event.size; b++)
            if (gs_overlap(&gs_log[GS_U][p], event.address + b, 1))
                gs_takes_from[b] = p;
        gs_take(i, p, base);
        after = p;
    }
    if (after == 0)
        return 0;
    gs_n_nonlocal++;
    gs_say_taken(first, event.size);
    gs_say_local(i);
    if (!gs_is_feasible())
        gs_infeasible("a read of T takes a part, and the rest is not local");
    return 1;
}

/* T reads; `kind` has GS_WRITE too if nobody can come between the read and a write of the same place. `base` is where the object
 * begins. */
static void gs_read_t(int kind, uint64_t address, uint32_t size, uint32_t site, uint32_t base)
{
    int i = gs_push(kind, address, size, site);
    if (!gs_has_u(GS_WRITE | GS_FREE, address, size))
        return;
    if (size > GS_BULK)
        gs_refuse("a thread reads more bytes at once than GS_BULK", site);
    gs_find_sources(i, address, size);
    if (gs_takes(i, base))
        return;
    gs_say_local(i);
    if (!gs_is_feasible())
        gs_infeasible("a read of T is not local");
    for (uint32_t b = 0; b < size; b++)
        if (gs_sources.taken[b]) {
            gs_n_nonlocal++;
            break;
        }
}

/* What T' frees comes after event i of T. */
static void gs_keep_frees(int i, uint64_t address, uint32_t size)
{
    gs_dirty = i;
    for (int q = 1; q <= gs_n[GS_U]; q++)
        if (gs_log[GS_U][q].kind & GS_FREE && gs_overlap(&gs_log[GS_U][q], address, size))
            gs_forbid(q, 0, i - 1, 1);
    gs_rows(gs_dirty);
}

/* T writes or frees. If T' frees the place, that comes later, or T fails. */
static void gs_write_t(int kind, uint64_t address, uint32_t size, uint32_t site)
{
    int i = gs_push(kind, address, size, site);
    if (!gs_has_u(GS_FREE, address, size))
        return;
    /* Where it is does not matter: all of an object is freed at once. */
    gs_log[GS_T][i].size = 1;
    gs_find_sources(i, address, 1);
    gs_takes(i, 0);
    gs_log[GS_T][i].size = size;
    gs_keep_frees(i, address, size);
    if (!gs_is_feasible())
        gs_infeasible("T' has freed what T writes");
}
