/* ---- threads ---- */
GS_UNUSED static void gs_run_u(int number)
{
    gs_phase = GS_RUN_U;
    gs_thread[GS_U] = number;
    uint64_t result = gs_call_U(gs_start[number], gs_argument[number]);
    if (!gs_exited[GS_U])
        gs_result[number] = result;
    gs_ended[GS_U] = !gs_stopped[GS_U] || gs_exited[GS_U];
}

GS_UNUSED static uint64_t gs_create(int who, uint64_t handle, uint64_t start, uint64_t argument, uint32_t site)
{
    if (gs_thread[who] != 0)
        gs_refuse("a thread creates another one, which is not supported", site);
    if (gs_phase != GS_INIT && gs_phase != GS_FORKED)
        gs_refuse("a thread is created after others have begun, which is not supported", site);
    if (gs_created == GS_THREADS)
        gs_refuse(GS_THREADS == 1 ? "a second thread is created where one was expected"
                                  : "more threads are created than were expected: how many depends on the execution, which is not supported", site);
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

/* All threads exist, and main waits for one of them or ends. Those of T' run by their numbers, each from the state that main left. */
static void gs_run(void)
{
#if GS_THREADS >= 2
    int copy = 0;
    for (int number = 1; number <= GS_THREADS; number++) {
        if (number == GS_NUMBER)
            continue;
        copy++;
#if GS_THREADS > 2
        gs_u = copy;
#endif
        memcpy(gs_memory[copy], gs_memory[GS_T], gs_top);
        gs_run_u(number);
    }
    gs_run_t(GS_NUMBER);
    gs_thread[GS_T] = 0;
    gs_phase = GS_FORKED;
    gs_has_run = 1;
#endif
}

/* T, or main that continues it, waits for a thread of T'. */
static void gs_join_u(int number, int more, uint32_t site)
{
    for (int u = 1; u < GS_COPIES; u++)
        if (gs_thread[u] == number && !gs_ended[u])
            gs_infeasible("a thread does not end that is waited for");
    gs_push(GS_JOIN | more, (uint64_t)number, 0, site);
    if (!gs_is_feasible())
        gs_infeasible("a thread cannot end before it is waited for");
}

/* main waits for a thread. Once it has waited for T, it continues it. */
static void gs_join_by_main(int number, uint32_t site)
{
    if (gs_created < GS_THREADS)
        gs_refuse(GS_THREADS > 2 ? "main waits for a thread before it creates the last one, which is not supported"
                                  : "main waits for a thread before it creates the second one, which is not supported", site);
    if (!gs_has_run)
        gs_run();
    if (number != GS_NUMBER) {
        if (gs_phase == GS_AFTER)
            gs_join_u(number, 0, site);
        return;
    }
    gs_phase = GS_AFTER;
    gs_close_t();
    /* On the machine all of this is one step. */
    for (int other = 1, more = 0; other <= GS_THREADS; other++)
        if (other != number && gs_joined[other]) {
            gs_join_u(other, more, site);
            more = GS_MORE;
        }
}

/* The result of a thread that was waited for. */
static void gs_put_result(int who, int number, uint64_t result, uint32_t site)
{
    unsigned char *place = result ? gs_at_to_write(who, result, 8, site) : NULL;
    if (place)
        gs_put(place, 8, gs_result[number]);
}

/* A thread waits for another one that main has created. */
static uint64_t gs_join_by_thread(int who, uint64_t handle, uint64_t result, uint32_t site)
{
    int number = (int)handle;
    if (handle == 0 || GS_THREADS == 1)
        gs_refuse("a thread waits for main or before all threads are created, which is not supported", site);
    if (handle > (uint64_t)gs_created || number == gs_thread[who] || (who == GS_T && gs_joined[number])) {
        gs_fail(who, GS_MISUSE, site);
        return 0;
    }
    if (who == GS_T) {
        gs_joined[number] = 1;
        gs_join_u(number, 0, site);
    } else {
        /* Whether T' gets there shows in the order; what runs later in this program has no result yet. */
        if (result && (number == GS_NUMBER || number > gs_thread[who]))
            gs_refuse("a thread takes the result of another one that it waits for, which is supported in T only", site);
        gs_note_u(GS_JOIN, handle, 0, site, NULL);
    }
    gs_put_result(who, number, result, site);
    return 0;
}

GS_UNUSED static uint64_t gs_join(int who, uint64_t handle, uint64_t result, uint32_t site)
{
    int number = (int)handle;
    if (gs_thread[who] != 0)
        return gs_join_by_thread(who, handle, result, site);
    if (handle == 0 || handle > (uint64_t)gs_created || gs_joined[number]) {
        gs_fail(who, GS_MISUSE, site);
        return 0;
    }
    gs_joined[number] = 1;
    if (GS_THREADS == 1 && GS_MAIN == GS_T) {
        gs_join_u(1, 0, site);
    } else if (GS_THREADS == 1) {
        /* main is T', which goes no further here. */
        gs_run_t(1);
        gs_bound("main is T', and what it does after it waited for T is left out");
    } else
        gs_join_by_main(number, site);
    gs_put_result(who, number, result, site);
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
        gs_refuse(GS_THREADS > 2 ? "main ends before it creates the last thread, which is not supported"
                                  : "main ends before it creates the second thread, which is not supported", 0);
    if (gs_phase == GS_FORKED && GS_THREADS >= 2 && !gs_has_run)
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
static void gs_print(int who, int what, uint32_t site)
{
    printf("gordian-sequentialize 1\nprogram %s\n", GS_PROGRAM);
    for (unsigned i = 0; i < gs_n_inputs; i++)
        printf("input %d %u %u %llu %s %s\n", gs_inputs[i].thread, gs_inputs[i].nth, gs_inputs[i].bits,
               (unsigned long long)gs_inputs[i].value, gs_inputs[i].function, gs_inputs[i].name ? gs_inputs[i].name : "");
    printf("sources %d reads %d", gs_next, gs_n_nonlocal);
    if (gs_next2 > 0)
        printf(" other %d", gs_next2);
    printf("\n");
    if (gs_phase == GS_RUN_T || gs_phase == GS_AFTER)
        gs_print_order();
    printf("failure %d %s %s:%u\n", gs_thread[who], gs_failure_names[what], gs_sites[site].file, gs_sites[site].line);
    fflush(stdout);
}
#endif

static void gs_fail(int who, int what, uint32_t site)
{
    if (who == GS_U && gs_phase == GS_RUN_U) {
        gs_stopped[who] = gs_failed[who] = 1;
        return;
    }
    if (gs_next < GS_K || gs_open_guesses() > 0)
        gs_infeasible("it fails with fewer non-local reads");
    if ((gs_phase == GS_RUN_T || gs_phase == GS_AFTER) && gs_end_of_u(gs_least_u()) < 0)
        gs_infeasible("no order of the events is one of an execution");
#if !defined(GS_QUIET)
    gs_print(who, what, site);
#endif
#if defined(GS_FOR_GORDIAN)
    /* It has a place of its own, so that it does not stand for failures that the machine shows. */
    if ((gs_phase == GS_RUN_T || gs_phase == GS_AFTER) && gs_is_overtaken())
        what += GS_OVERTAKEN;
#endif
    gs_fail_at(site, what);
}
