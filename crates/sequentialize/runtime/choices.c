
/* ---- what T reads, if there are more than two threads ---- */
/* For each byte of an access of T: whose event it comes from; event 0 of T if it is as it was. */
static int gs_byte_of[GS_BULK], gs_byte_event[GS_BULK];
/* Writes that the access of T can take, by thread and event. */
static unsigned char gs_may_take[GS_COPIES][GS_EVENTS + 1];

static int gs_covers(const struct gs_event *write, uint64_t address, uint32_t size)
{
    return write->address <= address && address + size <= write->address + write->size;
}

/* The bytes before event i of T, as T has them. */
static void gs_find_bytes(int i, uint64_t address, uint32_t size)
{
    for (uint32_t b = 0; b < size; b++) {
        int t = i - 1;
        while (t > 0 && !(gs_overlap(&gs_log[GS_T][t], address + b, 1) && (gs_log[GS_T][t].kind & GS_WRITE || gs_log[GS_T][t].source)))
            t--;
        int takes = t > 0 && !(gs_log[GS_T][t].kind & GS_WRITE);
        gs_byte_of[b] = takes ? gs_log[GS_T][t].source_of : GS_T;
        gs_byte_event[b] = takes ? gs_log[GS_T][t].source : t;
    }
}

static void gs_take_all(uint32_t size, int u, int p)
{
    for (uint32_t b = 0; b < size; b++) {
        gs_byte_of[b] = u;
        gs_byte_event[b] = p;
    }
}

/* Event w of a thread writes bytes of read i of T: not between the write that a byte comes from and the read. */
static void gs_keep_write(int i, int who, int w)
{
    const struct gs_event *read = &gs_log[GS_T][i], *write = &gs_log[who][w];
    int last_of = -1, last = -1;
    for (uint32_t b = 0; b < read->size; b++) {
        int of = gs_byte_of[b], source = gs_byte_event[b];
        if (!gs_overlap(write, read->address + b, 1) || (of == last_of && source == last))
            continue;
        last_of = of;
        last = source;
        /* A thread's own earlier writes come before anyway. */
        if (who == of && w <= source)
            continue;
        if (of == GS_T)
            gs_add_rule(who, w, gs_span(GS_T, source, i), gs_always());
        else
            gs_add_rule(who, w, gs_span(of, source, GS_NEVER), gs_span(GS_T, 0, i));
    }
}

/* States where the bytes of read i of T come from. */
static void gs_say_sources(int i)
{
    const struct gs_event *read = &gs_log[GS_T][i];
    for (int who = 0; who < GS_COPIES; who++)
        for (int w = 1; w <= (who == GS_T ? i - 1 : gs_n[who]); w++)
            if (gs_log[who][w].kind & (GS_WRITE | GS_FREE) && gs_overlap(&gs_log[who][w], read->address, read->size))
                gs_keep_write(i, who, w);
    for (uint32_t b = 0; b < read->size; b++)
        if (gs_byte_of[b] != GS_T && (b == 0 || gs_byte_of[b] != gs_byte_of[b - 1] || gs_byte_event[b] != gs_byte_event[b - 1]))
            gs_add_rule(GS_T, i, gs_span(gs_byte_of[b], 0, gs_byte_event[b]), gs_always());
}

/* Whether read i of T can be of what gs_byte_of says. */
static int gs_can_be(int i)
{
    int n = gs_n_rules;
    gs_say_sources(i);
    int can = gs_is_feasible();
    gs_drop_rules(n);
    return can;
}

/* Whether access i of T can come after event f, which frees what it accesses. */
static int gs_can_follow(int i, int u, int f)
{
    int n = gs_n_rules;
    gs_add_rule(GS_T, i, gs_span(u, 0, f), gs_always());
    int can = gs_is_feasible();
    gs_drop_rules(n);
    return can;
}

/* Whether read i of T can take the bytes that write p has of it; all of them if it covers the read. */
static int gs_can_take(int i, int u, int p)
{
    struct gs_event *read = &gs_log[GS_T][i], whole = *read;
    const struct gs_event *write = &gs_log[u][p];
    uint64_t from = write->address > read->address ? write->address : read->address;
    uint64_t end = read->address + read->size, to = write->address + write->size;
    read->address = from;
    read->size = (uint32_t)((end < to ? end : to) - from);
    gs_take_all(read->size, u, p);
    int can = gs_can_be(i);
    *read = whole;
    gs_find_bytes(i, read->address, read->size);
    return can;
}

static int gs_is_used(int u, int p)
{
    for (int i = 1; i <= gs_n[GS_T]; i++)
        if (gs_log[GS_T][i].source == p && gs_log[GS_T][i].source_of == u)
            return 1;
    return 0;
}

/* Whether T has all that the write has of the read. */
static int gs_is_there(const struct gs_event *read, int u, int p)
{
    for (uint32_t b = 0; b < read->size; b++)
        if (gs_overlap(&gs_log[u][p], read->address + b, 1) && (gs_byte_of[b] != u || gs_byte_event[b] != p))
            return 0;
    return 1;
}

/* Finds the writes that read i of T can take. One of which T has read another part before is no new source: its thread and event
 * are given back by `again`. */
static int gs_find_candidates(int i, int again[2])
{
    const struct gs_event *read = &gs_log[GS_T][i];
    int any = 0, may_take = gs_next < GS_K && gs_sites[read->site].reads;
    for (int u = 1; u < GS_COPIES; u++)
        for (int p = 1; p <= gs_n[u]; p++) {
            const struct gs_event *write = &gs_log[u][p];
            int frees = write->kind & GS_FREE, is_used = gs_is_used(u, p);
            gs_may_take[u][p] = 0;
            if (!(write->kind & (read->kind & GS_READ ? GS_WRITE | GS_FREE : GS_FREE)) || !gs_overlap(write, read->address, read->size))
                continue;
            if (frees) {
                gs_may_take[u][p] = may_take && gs_sites[write->site].writes && gs_can_follow(i, u, p);
                any |= gs_may_take[u][p];
                continue;
            }
            if ((!is_used && !(may_take && gs_sites[write->site].writes)) || gs_is_there(read, u, p) || !gs_can_take(i, u, p))
                continue;
            if (!gs_covers(write, read->address, read->size))
                gs_refuse("a read may take bytes of several writes, which is not supported for more than two threads", read->site);
            if (is_used && again[1])
                gs_refuse("a read may take parts of two writes of which other parts were read before, which is not supported", read->site);
            if (is_used) {
                again[0] = u;
                again[1] = p;
                continue;
            }
            gs_may_take[u][p] = 1;
            any = 1;
        }
    return any;
}

/* T reads bytes that another thread wrote. */
static void gs_take(int i, int u, int p, uint32_t base)
{
    const struct gs_event *write = &gs_log[u][p];
    struct gs_event *read = &gs_log[GS_T][i];
    read->source_of = u;
    read->source = p;
    gs_n_nonlocal++;
    gs_take_all(read->size, u, p);
    gs_copy(gs_memory[GS_T] + base + (uint32_t)(read->address & 0x3fffffff) - 0x100000,
            gs_pool + write->bytes + (uint32_t)(read->address - write->address), read->size);
    gs_say_sources(i);
}

/* The write that the inputs say the access takes. */
static void gs_take_chosen(int i, uint32_t base)
{
    for (int u = 1; u < GS_COPIES; u++)
        for (int p = 1; p <= gs_n[u]; p++) {
            if (!gs_may_take[u][p] || gs_wrts[gs_next] != gs_log[u][p].number)
                continue;
            gs_next++;
            gs_epoch[GS_T]++;
            if (!(gs_log[u][p].kind & GS_FREE)) {
                gs_take(i, u, p, base);
                return;
            }
            gs_add_rule(GS_T, i, gs_span(u, 0, p), gs_always());
            gs_log[GS_T][i].source_of = u;
            gs_log[GS_T][i].source = p;
            gs_n_nonlocal++;
            gs_fail(GS_T, GS_FREED, gs_log[GS_T][i].site);
        }
    gs_infeasible("the write does not go with the read");
}

/* T reads; `kind` has GS_WRITE too if nobody can come between the read and a write of the same place. `base` is where the object
 * begins. */
static void gs_read_t(int kind, uint64_t address, uint32_t size, uint32_t site, uint32_t base)
{
    int i = gs_push(kind, address, size, site), again[2] = {0, 0};
    if (!gs_has_u(GS_WRITE | GS_FREE, address, size))
        return;
    if (size > GS_BULK)
        gs_refuse("a thread reads more bytes at once than GS_BULK", site);
    gs_find_bytes(i, address, size);
    uint32_t number = ++gs_reads;
    if (gs_find_candidates(i, again) && gs_rds[gs_next] == number) {
        gs_take_chosen(i, base);
        return;
    }
    int can_be_local = gs_can_be(i);
    if (can_be_local && again[1])
        gs_refuse("a read may take a part of a write of which another part was read before, or T's own, which is not supported", site);
    if (again[1]) {
        gs_take(i, again[0], again[1], base);
        return;
    }
    if (!can_be_local)
        gs_infeasible("a read of T is not local");
    gs_say_sources(i);
    for (uint32_t b = 0; b < size; b++)
        if (gs_byte_of[b] != GS_T) {
            gs_n_nonlocal++;
            break;
        }
}

/* What others free comes after event i of T. */
static void gs_keep_frees(int i, uint64_t address, uint32_t size)
{
    for (int u = 1; u < GS_COPIES; u++)
        for (int f = 1; f <= gs_n[u]; f++)
            if (gs_log[u][f].kind & GS_FREE && gs_overlap(&gs_log[u][f], address, size))
                gs_add_rule(u, f, gs_span(GS_T, 0, i), gs_always());
}

/* T writes or frees. If another thread frees the place, that comes later, or T fails. */
static void gs_write_t(int kind, uint64_t address, uint32_t size, uint32_t site)
{
    int i = gs_push(kind, address, size, site), again[2] = {0, 0};
    if (!gs_has_u(GS_FREE, address, size))
        return;
    uint32_t number = ++gs_reads;
    if (gs_find_candidates(i, again) && gs_rds[gs_next] == number)
        gs_take_chosen(i, 0);
    gs_keep_frees(i, address, size);
    if (!gs_is_feasible())
        gs_infeasible("another thread has freed what T writes");
}
