/* ---- threads ---- */
GS_UNUSED static void gs_run_u(int number)
{
    gs_phase = GS_RUN_U;
    gs_thread[GS_U] = number;
    uint64_t result = gs_call_U(gs_start[number], gs_argument[number]);
    if (!gs_exited[GS_U])
        gs_result[number] = result;
    gs_u_ended = !gs_stopped[GS_U] || gs_exited[GS_U];
}

GS_UNUSED static uint64_t gs_create(int who, uint64_t handle, uint64_t start, uint64_t argument, uint32_t site)
{
    if (gs_thread[who] != 0)
        gs_refuse("a thread creates another one, which is not supported", site);
    if (gs_phase != GS_INIT && gs_phase != GS_FORKED)
        gs_refuse("a thread is created after others have begun, which is not supported", site);
    if (gs_created == GS_THREADS)
        gs_refuse(GS_THREADS == 1 ? "a second thread is created where one was expected"
                                  : "a third thread is created; two threads are supported", site);
    unsigned char *place = gs_at_to_write(who, handle, 8, site);
    if (!place)
        return 0;
    if (gs_n_locks[who] > 0)
        gs_refuse("main holds a lock while it creates a thread, which is not supported", site);
    int number = ++gs_created;
    gs_put(place, 8, (uint64_t)number);
    gs_start[number] = start;
    gs_argument[number] = argument;
    gs_phase = GS_FORKED;
#if GS_THREADS == 1 && GS_MAIN == GS_T
    memcpy(gs_memory[GS_U], gs_memory[GS_T], gs_top);
    gs_run_u(1);
    gs_close_u();
    gs_phase = GS_RUN_T;
#elif GS_THREADS == 1
    memcpy(gs_memory[GS_T], gs_memory[GS_U], gs_top);
    gs_phase = GS_RUN_U;
#endif
    return 0;
}

/* Main may have ended, and its copy is T's from now on. */
static void gs_run_t(int number)
{
    gs_close_u();
    gs_phase = GS_RUN_T;
    gs_thread[GS_T] = number;
    gs_stopped[GS_T] = gs_exited[GS_T] = 0;
    uint64_t result = gs_call_T(gs_start[number], gs_argument[number]);
    if (!gs_exited[GS_T])
        gs_result[number] = result;
    gs_stopped[GS_T] = gs_exited[GS_T] = 0;
}

/* Both threads exist, and main waits for one of them or ends. */
static void gs_run(void)
{
#if GS_THREADS == 2
    int t = GS_NUMBER, u = 3 - GS_NUMBER;
    memcpy(gs_memory[GS_U], gs_memory[GS_T], gs_top);
    gs_run_u(u);
    gs_run_t(t);
    gs_thread[GS_T] = 0;
    gs_phase = GS_FORKED;
#endif
}

static void gs_join_u(uint32_t site)
{
    if (!gs_u_ended)
        gs_infeasible("T' does not end, and main waits for it");
    gs_push(GS_JOIN, 0, 0, site);
    if (!gs_is_feasible())
        gs_infeasible("T' cannot end before main waits for it");
}

GS_UNUSED static uint64_t gs_join(int who, uint64_t handle, uint64_t result, uint32_t site)
{
    int number = (int)handle;
    if (gs_thread[who] != 0)
        gs_refuse("a thread waits for another one, which is not supported", site);
    if (handle == 0 || handle > (uint64_t)gs_created || gs_joined[number]) {
        gs_fail(who, GS_MISUSE, site);
        return 0;
    }
    gs_joined[number] = 1;
    if (GS_THREADS == 1 && GS_MAIN == GS_T) {
        gs_join_u(site);
    } else if (GS_THREADS == 1) {
        /* main is T', which goes no further here. */
        gs_run_t(1);
        gs_bound("main is T', and what it does after it waited for T is left out");
    } else {
        if (gs_created < 2)
            gs_refuse("main waits for a thread before it creates the second one, which is not supported", site);
        if (!gs_joined[3 - number])
            gs_run();
        if (number == GS_NUMBER) {
            gs_phase = GS_AFTER;
            if (gs_joined[3 - number])
                gs_join_u(site);
        } else if (gs_phase == GS_AFTER)
            gs_join_u(site);
    }
    if (result != 0) {
        unsigned char *place = gs_at_to_write(who, result, 8, site);
        if (place)
            gs_put(place, 8, gs_result[number]);
    }
    return 0;
}

GS_UNUSED static void gs_exit_thread(int who, uint64_t result)
{
    gs_result[gs_thread[who]] = result;
    gs_stopped[who] = gs_exited[who] = 1;
}

/* The process ends. */
GS_UNUSED static void gs_exit(int who)
{
    if (who == GS_U && gs_phase == GS_RUN_U && GS_MAIN != GS_U) {
        gs_stopped[who] = 1;
        return;
    }
    if (gs_phase == GS_FORKED && gs_created < GS_THREADS)
        gs_refuse("main ends before it creates the second thread, which is not supported", 0);
    if (gs_phase == GS_FORKED && GS_THREADS == 2 && gs_created == 2 && !gs_joined[1] && !gs_joined[2])
        gs_run();
    if (gs_phase == GS_RUN_U && GS_MAIN == GS_U)
        gs_run_t(1);
    if (gs_next < GS_K)
        gs_infeasible("T has fewer non-local reads than that");
    gs_look_at_cuts();
    exit(0);
}

/* ---- failures ---- */
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
    case GS_SIGNAL: return "signals";
    case GS_RELEASE | GS_SLEEP: return "sleeps";
    case GS_WAIT: return "waits";
    case GS_POST: return "posts";
    default: return "ends";
    }
}

static void gs_print_event(const char *what, int who, int nth)
{
    const struct gs_event *event = &gs_log[who][nth];
    const struct gs_site *site = &gs_sites[event->site];
    /* Waking is no event of its own: the signal does it, and then the thread locks again. */
    if (event->kind & (GS_WOKEN | GS_MORE))
        return;
    /* Events of T have the number of their thread, since main may go on with its copy; those of T' their number as a write. */
    unsigned thread = who == GS_T ? event->number : (unsigned)gs_thread[GS_U];
    printf("%s %u %u %u %s %s:%u", what, thread, site->function, site->pc, gs_verb(event->kind), site->file, site->line);
    if (who == GS_T && event->source)
        printf(" takes write %u", gs_log[GS_U][event->source].number);
    printf("\n");
}

/* One order of all events of T and as few as possible of T'. */
static void gs_print_order(void)
{
    static unsigned char path[2 * GS_EVENTS + 2];
    int i = gs_n[GS_T], j = 0, n = 0;
    while (gs_reach[i][j] < 0)
        j++;
    while (i > 0 || j > 0) {
        int at_once = gs_at_once(i, j) >= 0 && gs_at_once(i, j) == gs_reach[i][j];
        int by_t = !at_once && i > 0 && gs_reach[i - 1][j] >= 0 && gs_moves_t(i, j)
            && gs_min(gs_reach[i - 1][j], gs_c[i][j]) == gs_reach[i][j];
        path[n++] = (unsigned char)(by_t | at_once << 1);
        i -= by_t | at_once;
        j -= !by_t;
    }
    for (i = j = 0; n > 0;) {
        int step = path[--n];
        if (step)
            gs_print_event("event", GS_T, ++i);
        if (step != 1)
            gs_print_event("event", GS_U, ++j);
    }
    /* What T' would do next, for whoever follows the order and must not go that far. */
    while (j < gs_n[GS_U])
        gs_print_event("rest", GS_U, ++j);
}

static void gs_print(int who, int what, uint32_t site)
{
    printf("gordian-sequentialize 1\nprogram %s\n", GS_PROGRAM);
    for (unsigned i = 0; i < gs_n_inputs; i++)
        printf("input %d %u %u %llu %s %s\n", gs_inputs[i].thread, gs_inputs[i].nth, gs_inputs[i].bits,
               (unsigned long long)gs_inputs[i].value, gs_inputs[i].function, gs_inputs[i].name ? gs_inputs[i].name : "");
    printf("sources %d reads %d\n", gs_next, gs_n_nonlocal);
    if (gs_phase == GS_RUN_T || gs_phase == GS_AFTER)
        gs_print_order();
    printf("failure %d %s %s:%u\n", gs_thread[who], gs_failure_names[what], gs_sites[site].file, gs_sites[site].line);
    fflush(stdout);
}
#endif

static void gs_fail(int who, int what, uint32_t site)
{
    if (who == GS_U && gs_phase == GS_RUN_U) {
        gs_stopped[who] = 1;
        return;
    }
    if (gs_next < GS_K)
        gs_infeasible("it fails with fewer non-local reads");
    if ((gs_phase == GS_RUN_T || gs_phase == GS_AFTER) && !gs_is_feasible())
        gs_infeasible("no order of the events is one of an execution");
#if !defined(GS_QUIET)
    gs_print(who, what, site);
#endif
    gs_fail_at(site, what);
}
