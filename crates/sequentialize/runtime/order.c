
/* ---- whether the logs of more than two threads are those of an execution ---- */
/* An order of the logs is a walk: a state says how many events each thread has made, and a step makes the next one of a thread. Rules
 * forbid an event of a thread at some positions of others. All threads but T may stop anywhere, so a rule that is about what they read
 * says how far they can go at most instead; a state has these bounds, too. */
#ifndef GS_RULES
#define GS_RULES 20000
#endif
#ifndef GS_STATES
#define GS_STATES 50000
#endif
#define GS_SLOTS (2 * GS_STATES)
#define GS_NEVER 0x7fff

/* Holds while a thread has made at least `from` events and fewer than `to`. */
struct gs_span { int who, from, to; };
/* While both spans hold, the event of the rule is forbidden, or, if `stops` is not 0, that thread makes no more than `most` events after it. */
struct gs_rule { struct gs_span a, b; int who, event, stops, most, next; uint64_t lock; };
static struct gs_rule gs_rules[GS_RULES];
static int gs_n_rules;
/* By event: the last of its rules, counted from 1, and how many spans begin or end with it. */
static int gs_last_rule[GS_COPIES][GS_EVENTS + 1], gs_edges[GS_COPIES][GS_EVENTS + 1];
static unsigned char gs_in_section[GS_COPIES][GS_EVENTS + 1];
/* The number of events of T when it ended, and main went on with its log. */
static int gs_t_end = GS_NEVER;

struct gs_state { short at[GS_COPIES], most[GS_COPIES]; int from, by, wakes; };
static struct gs_state gs_states[GS_STATES];
static int gs_n_states;
/* Numbers of states by their hash; what another search left is not looked at. */
static struct { uint32_t search; int state; } gs_slots[GS_SLOTS];
static uint32_t gs_search_number;
/* A search has more states than there is room for. */
static int gs_is_too_large;
/* States to look at: those of now, and those that another thread than T has made one more event in. */
static int gs_waiting[2][GS_STATES], gs_n_waiting[2];

static struct gs_span gs_span(int who, int from, int to) { return (struct gs_span){who, from, to}; }
static struct gs_span gs_always(void) { return gs_span(GS_T, 0, GS_NEVER); }

static void gs_mark_edges(struct gs_span span, int by)
{
    gs_edges[span.who][span.from] += by;
    if (span.to <= GS_EVENTS)
        gs_edges[span.who][span.to] += by;
}

static struct gs_rule *gs_add_rule(int who, int event, struct gs_span a, struct gs_span b)
{
    if (gs_n_rules == GS_RULES)
        gs_bound("an execution needs more rules than GS_RULES");
    struct gs_rule *rule = &gs_rules[gs_n_rules++];
    *rule = (struct gs_rule){a, b, who, event, 0, 0, gs_last_rule[who][event], 0};
    gs_last_rule[who][event] = gs_n_rules;
    gs_mark_edges(a, 1);
    gs_mark_edges(b, 1);
    return rule;
}

/* Takes back all rules but the first n. */
static void gs_drop_rules(int n)
{
    while (gs_n_rules > n) {
        const struct gs_rule *rule = &gs_rules[--gs_n_rules];
        gs_last_rule[rule->who][rule->event] = rule->next;
        gs_mark_edges(rule->a, -1);
        gs_mark_edges(rule->b, -1);
    }
}

/* Event e of a thread writes or frees. If it comes between a read of another one and the write that this reads, that thread stops before the
 * read; after a free, before any use. T's reads are another matter. */
static void gs_keep_reads(int who, int e)
{
    const struct gs_event *write = &gs_log[who][e];
    int frees = write->kind & GS_FREE;
    for (int u = 1; u < GS_COPIES; u++)
        for (int r = 1; r <= gs_n[u] && u != who; r++) {
            const struct gs_event *read = &gs_log[u][r];
            if (frees ? !gs_uses(read, write->address, write->size)
                      : !(read->kind & GS_READ) || !gs_overlap(read, write->address, write->size))
                continue;
            uint64_t from = read->address > write->address ? read->address : write->address;
            uint64_t end = read->address + read->size, to = write->address + write->size;
            int source = frees ? 0 : gs_u_source(u, r, from, end < to ? end : to);
            struct gs_rule *rule = gs_add_rule(who, e, gs_span(u, source, r), gs_always());
            rule->stops = u;
            rule->most = r - 1;
        }
}

/* The event with which a lock is released again that event a takes. */
static int gs_release_of(int who, int a)
{
    for (int r = a + 1; r <= gs_n[who]; r++)
        if (gs_log[who][r].kind & GS_RELEASE && gs_log[who][r].address == gs_log[who][a].address)
            return r;
    return GS_NEVER;
}

/* Event e of a thread takes a lock: not while `other` has it, unless both read. */
static void gs_keep_lock(int who, int e, int other)
{
    const struct gs_event *acquire = &gs_log[who][e];
    for (int a = 1; a <= gs_n[other]; a++) {
        const struct gs_event *held = &gs_log[other][a];
        if (!(held->kind & GS_ACQUIRE) || held->address != acquire->address || (held->size == 2 && acquire->size == 2))
            continue;
        gs_add_rule(who, e, gs_span(other, a, gs_release_of(other, a)), gs_always());
        if (who == GS_T)
            gs_add_rule(other, a, gs_span(GS_T, e, GS_NEVER), gs_always())->lock = acquire->address;
    }
}

/* T releases a lock: it is held no longer. */
static void gs_close_lock(int i)
{
    for (int r = 0; r < gs_n_rules; r++) {
        struct gs_rule *rule = &gs_rules[r];
        if (rule->lock && rule->lock == gs_log[GS_T][i].address && rule->a.to == GS_NEVER) {
            rule->a.to = i;
            gs_edges[GS_T][i]++;
        }
    }
}

/* All threads but T have gone as far as they go. */
static void gs_close_u(void)
{
    for (int u = 1; u < GS_COPIES; u++)
        for (int e = 1; e <= gs_n[u]; e++) {
            int kind = gs_log[u][e].kind;
            gs_in_section[u][e] = kind & GS_BEGIN ? 1 : kind & GS_END ? 0 : gs_in_section[u][e - 1];
            if (kind & (GS_WRITE | GS_FREE))
                gs_keep_reads(u, e);
            for (int v = 1; v < GS_COPIES && kind & GS_ACQUIRE; v++)
                if (u != v)
                    gs_keep_lock(u, e, v);
        }
}

static int gs_push(int kind, uint64_t address, uint32_t size, uint32_t site)
{
    if (gs_n[GS_T] == GS_EVENTS)
        gs_bound("a thread has more events than GS_EVENTS");
    gs_keep_main(kind, address, size, site);
    int i = ++gs_n[GS_T];
    gs_log[GS_T][i] = (struct gs_event){address, size, site, 0, (uint32_t)gs_thread[GS_T], kind, 0, 0, 0};
    gs_in_section[GS_T][i] = gs_atomic[GS_T] > 0;
    for (int u = 1; u < GS_COPIES && kind & GS_ACQUIRE; u++)
        gs_keep_lock(GS_T, i, u);
    if (kind & GS_RELEASE)
        gs_close_lock(i);
    if (kind & (GS_WRITE | GS_FREE))
        gs_keep_reads(GS_T, i);
    return i;
}

static void gs_push_condition(int kind, uint64_t address, uint64_t condition, uint32_t site)
{
    gs_log[GS_T][gs_push(kind, address, 1, site)].condition = condition;
}

/* The last event of T, which reads, writes, too. */
GS_UNUSED static void gs_becomes_write(void)
{
    struct gs_event *event = &gs_log[GS_T][gs_n[GS_T]];
    event->kind |= GS_WRITE;
    gs_keep_main(GS_WRITE, event->address, event->size, event->site);
    gs_keep_reads(GS_T, gs_n[GS_T]);
}

/* T has ended, and main goes on with its log. */
GS_UNUSED static void gs_close_t(void) { gs_t_end = gs_n[GS_T]; }

/* ---- the walk ---- */
static int gs_holds(const struct gs_state *state, struct gs_span span)
{
    return span.from <= state->at[span.who] && state->at[span.who] < span.to;
}

/* What a semaphore counts. */
static int64_t gs_level(const struct gs_state *state, uint64_t address)
{
    int64_t level = 0;
    for (int s = 0; s < gs_n_semaphores; s++)
        if (gs_semaphores[s].address == address)
            level = gs_semaphores[s].value;
    for (int who = 0; who < GS_COPIES; who++)
        for (int e = 1; e <= state->at[who]; e++)
            if (gs_log[who][e].kind & (GS_WAIT | GS_POST) && gs_log[who][e].address == address)
                level += gs_log[who][e].kind & GS_POST ? 1 : -1;
    return level;
}

/* Whether the thread of this number has ended. */
static int gs_has_ended(const struct gs_state *state, uint64_t number)
{
    if (number == GS_NUMBER)
        return state->at[GS_T] >= gs_t_end;
    for (int u = 1; u < GS_COPIES; u++)
        if ((uint64_t)gs_thread[u] == number)
            return gs_ended[u] && state->at[u] == gs_n[u];
    return 0;
}

static int gs_is_allowed(const struct gs_state *state, int who, int e)
{
    const struct gs_event *event = &gs_log[who][e];
    for (int other = 0; other < GS_COPIES; other++)
        if (other != who && gs_in_section[other][state->at[other]])
            return 0;
    for (int r = gs_last_rule[who][e]; r > 0; r = gs_rules[r - 1].next) {
        const struct gs_rule *rule = &gs_rules[r - 1];
        if (!rule->stops && gs_holds(state, rule->a) && gs_holds(state, rule->b))
            return 0;
    }
    if (event->kind & GS_JOIN && !gs_has_ended(state, event->address))
        return 0;
    return !(event->kind & GS_WAIT) || gs_level(state, event->address) > 0;
}

static int gs_is_of_no_matter(int who, int e)
{
    return !gs_last_rule[who][e] && !gs_edges[who][e]
        && !(gs_log[who][e].kind & ~(GS_READ | GS_WRITE | GS_FREE | GS_ACQUIRE | GS_RELEASE));
}

static void gs_advance(struct gs_state *state, int who)
{
    int e = state->at[who] + 1;
    for (int r = gs_last_rule[who][e]; r > 0; r = gs_rules[r - 1].next) {
        const struct gs_rule *rule = &gs_rules[r - 1];
        if (rule->stops && gs_holds(state, rule->a) && gs_holds(state, rule->b) && rule->most < state->most[rule->stops])
            state->most[rule->stops] = (short)rule->most;
    }
    state->at[who] = (short)e;
}

/* Takes events along that nobody sees. */
static void gs_advance_alone(struct gs_state *state, int who)
{
    while (state->at[who] < state->most[who] && gs_is_of_no_matter(who, state->at[who] + 1))
        state->at[who]++;
}

/* A state that may be new. */
static void gs_arrive(struct gs_state *state, int from, int by, int is_later)
{
    uint32_t hash = 2166136261u;
    for (int who = 0; who < GS_COPIES; who++)
        hash = ((hash ^ (uint32_t)state->at[who]) * 16777619u ^ (uint32_t)state->most[who]) * 16777619u;
    hash = (hash ^ hash >> 15) % GS_SLOTS;
    for (; gs_slots[hash].search == gs_search_number; hash = (hash + 1) % GS_SLOTS) {
        const struct gs_state *known = &gs_states[gs_slots[hash].state];
        int is_same = 1;
        for (int who = 0; who < GS_COPIES; who++)
            is_same &= known->at[who] == state->at[who] && known->most[who] == state->most[who];
        if (is_same)
            return;
    }
    gs_is_too_large |= gs_n_states == GS_STATES;
    if (gs_is_too_large)
        return;
    state->from = from;
    state->by = by;
    gs_slots[hash].search = gs_search_number;
    gs_slots[hash].state = gs_n_states;
    gs_states[gs_n_states] = *state;
    gs_waiting[is_later][gs_n_waiting[is_later]++] = gs_n_states++;
}

static int gs_sleeps(const struct gs_state *state, int who, uint64_t condition)
{
    const struct gs_event *event = &gs_log[who][state->at[who]];
    return state->at[who] > 0 && event->kind & GS_SLEEP && event->condition == condition;
}

/* A signal wakes one of those who sleep, or all; only with it they go on. */
static void gs_step_signal(struct gs_state *state, int from, int by, const struct gs_event *signal, int tells)
{
    uint64_t condition = signal->condition;
    int to_all = signal->kind & GS_ALL, is_later = tells && by != GS_T, n = 0;
    for (int who = 0; who < GS_COPIES; who++)
        n += gs_sleeps(state, who, condition);
    struct gs_state woken = *state;
    for (int who = 0; who < GS_COPIES; who++) {
        if (!gs_sleeps(state, who, condition))
            continue;
        /* Its log ends here: a bound of this program, which is told. */
        if (state->at[who] == state->most[who])
            return;
        if (!to_all)
            woken = *state;
        gs_advance(&woken, who);
        woken.wakes = !to_all && n > 1 ? who == GS_T ? GS_NUMBER : gs_thread[who] : 0;
        if (!tells)
            gs_advance_alone(&woken, who);
        if (!to_all)
            gs_arrive(&woken, from, by, is_later | (tells && who != GS_T));
    }
    if (to_all || n == 0)
        gs_arrive(&woken, from, by, is_later | (tells && n > 0));
}

static void gs_step(int from, int who, int tells)
{
    struct gs_state state = gs_states[from];
    int e = state.at[who] + 1;
    if (state.at[who] >= state.most[who] || gs_log[who][e].kind & GS_WOKEN || !gs_is_allowed(&state, who, e))
        return;
    gs_advance(&state, who);
    state.wakes = 0;
    if (!tells)
        gs_advance_alone(&state, who);
    if (gs_log[who][e].kind & GS_SIGNAL)
        gs_step_signal(&state, from, who, &gs_log[who][e], tells);
    else
        gs_arrive(&state, from, who, tells && who != GS_T);
}

/* ---- how far the others must go ---- */
/* If there is an order of all events of T, there is one in which no other thread makes more events than this: what it does then can be left out, since
 * nobody waits for it, and it is at a point where it has no lock and is in no atomic section. */
static int gs_need[GS_COPIES];

static int gs_raise_need(int u, int to)
{
    if (u == GS_T || to > gs_n[u] || to <= gs_need[u])
        return 0;
    gs_need[u] = to;
    return 1;
}

/* What must have happened before event e of a thread. */
static int gs_needs_of_event(int who, int e)
{
    const struct gs_event *event = &gs_log[who][e];
    int changed = 0;
    for (int r = gs_last_rule[who][e]; r > 0; r = gs_rules[r - 1].next) {
        const struct gs_rule *rule = &gs_rules[r - 1];
        changed |= rule->a.from == 0 && !rule->stops && gs_raise_need(rule->a.who, rule->a.to);
        changed |= rule->b.from == 0 && !rule->stops && gs_raise_need(rule->b.who, rule->b.to);
    }
    for (int u = 1; u < GS_COPIES; u++) {
        if (event->kind & GS_JOIN && (uint64_t)gs_thread[u] == event->address)
            changed |= gs_raise_need(u, gs_n[u]);
        for (int p = gs_n[u]; p > 0 && event->kind & GS_WAIT; p--)
            if (gs_log[u][p].kind & GS_POST && gs_log[u][p].address == event->address)
                changed |= gs_raise_need(u, p);
    }
    return changed;
}

/* The first point from event e on where the thread has no lock and is in no section. */
static int gs_free_point(int u, int e)
{
    for (int held = 1; held && e < gs_n[u]; e += held) {
        held = gs_in_section[u][e];
        for (int a = 1; a <= e; a++)
            held |= gs_log[u][a].kind & GS_ACQUIRE && gs_release_of(u, a) > e;
    }
    return e;
}

static void gs_find_needs(void)
{
    int sleeps = 0;
    for (int who = 0; who < GS_COPIES; who++)
        for (int e = 1; e <= gs_n[who]; e++)
            sleeps |= gs_log[who][e].kind & (GS_SLEEP | GS_SIGNAL);
    for (int u = 1; u < GS_COPIES; u++)
        gs_need[u] = sleeps ? gs_n[u] : 0;
    for (int changed = !sleeps; changed;) {
        changed = 0;
        for (int who = 0; who < GS_COPIES; who++)
            for (int e = 1; e <= (who == GS_T ? gs_n[GS_T] : gs_need[who]); e++)
                changed |= gs_needs_of_event(who, e);
        for (int u = 1; u < GS_COPIES; u++)
            if (gs_need[u] > 0)
                changed |= gs_raise_need(u, gs_free_point(u, gs_need[u]));
    }
}

/* Looks for an order of all events of T; gives back its last state, or -1. If it is to be told, it has as few events of others as possible, and
 * `spares` says that nobody comes to a failure. */
static int gs_find_order(int tells, int spares)
{
    struct gs_state start = {{0}, {0}, -1, 0, 0};
    gs_search_number++;
    gs_is_too_large = 0;
    gs_n_states = gs_n_waiting[0] = gs_n_waiting[1] = 0;
    gs_find_needs();
    for (int who = 0; who < GS_COPIES; who++) {
        int n = gs_n[who] - (spares && who != GS_T && gs_failed[who] && gs_n[who] > 0);
        start.most[who] = (short)(who == GS_T ? n : gs_min(n, gs_need[who]));
    }
    for (int who = 0; who < GS_COPIES && !tells; who++)
        gs_advance_alone(&start, who);
    gs_arrive(&start, -1, 0, 0);
    while (gs_n_waiting[0] + gs_n_waiting[1] > 0) {
        if (gs_n_waiting[0] == 0) {
            gs_n_waiting[0] = gs_n_waiting[1];
            gs_n_waiting[1] = 0;
            memcpy(gs_waiting[0], gs_waiting[1], sizeof gs_waiting[0][0] * (size_t)gs_n_waiting[0]);
        }
        int state = gs_waiting[0][--gs_n_waiting[0]];
        if (gs_states[state].at[GS_T] == gs_n[GS_T])
            return state;
        for (int who = GS_COPIES - 1; who >= 0; who--)
            gs_step(state, who, tells);
        if (gs_is_too_large)
            return -1;
    }
    return -1;
}

static int gs_is_feasible(void)
{
    int state = gs_find_order(0, 0);
    if (gs_is_too_large)
        gs_bound("the search for an order takes more states than GS_STATES");
    return state >= 0;
}

/* The others read nothing of T, so there is nothing that they must do. */
static int gs_end_of_u(int least) { return gs_is_feasible() ? least : -1; }

/* Whether T fails only after an event of another thread with which that fails itself, as the machine does it: that failure is first. */
GS_UNUSED static int gs_is_overtaken(void)
{
    int failed = 0;
    for (int u = 1; u < GS_COPIES; u++)
        failed |= gs_failed[u];
    return failed && gs_find_order(0, 1) < 0;
}

#if !defined(GS_QUIET)
static void gs_print_order(void)
{
    static int path[GS_COPIES * GS_EVENTS + 1];
    /* The machine makes a failure together with the event before it, so others stop before theirs if they can. */
    int state = gs_find_order(1, 1), n = 0;
    if (state < 0)
        state = gs_find_order(1, 0);
    if (state < 0)
        state = gs_find_order(0, 0);
    const struct gs_state *last = &gs_states[state], none = {{0}, {0}, -1, 0, 0};
    for (; state >= 0; state = gs_states[state].from)
        path[n++] = state;
    while (n > 0) {
        const struct gs_state *to = &gs_states[path[--n]], *from = to->from < 0 ? &none : &gs_states[to->from];
        for (int nth = 0; nth < GS_COPIES; nth++) {
            int who = (to->by + nth) % GS_COPIES;
            for (int e = from->at[who] + 1; e <= to->at[who]; e++)
                gs_print_event("event", who, e, who == to->by && e == from->at[who] + 1 ? to->wakes : 0);
        }
    }
    for (int u = 1; u < GS_COPIES; u++)
        for (int e = last->at[u] + 1; e <= gs_n[u]; e++)
            gs_print_event("rest", u, e, 0);
}
#endif
