/* ---- locks ---- */
static uint64_t gs_destroyed[GS_LOCKS];
static int gs_n_destroyed;
static int gs_is_destroyed(int who, uint64_t address, uint32_t site);

/* It is one again that can be used. */
GS_UNUSED static void gs_initialise(uint64_t address)
{
    for (int n = 0; n < gs_n_destroyed; n++)
        if (gs_destroyed[n] == address)
            gs_destroyed[n--] = gs_destroyed[--gs_n_destroyed];
}

static struct gs_lock *gs_held(int who, uint64_t lock)
{
    for (int l = 0; l < gs_n_locks[who]; l++)
        if (gs_locks[who][l].lock == lock)
            return &gs_locks[who][l];
    return NULL;
}

/* T uses a lock, a condition or a semaphore: before its memory is freed. Nothing is taken with it. */
static void gs_use_t(uint64_t address)
{
    if (gs_has_u(GS_FREE, address, 1))
        gs_keep_frees(gs_n[GS_T], address, 1);
}

static void gs_lock_event(int who, int kind, uint64_t lock, uint32_t mode, uint32_t site)
{
    if (!gs_is_event(who, site))
        return;
    if (who == GS_U)
        gs_note_u(kind, lock, mode, site, NULL);
    else {
        gs_push(kind, lock, mode, site);
        gs_use_t(lock);
        if (!gs_is_feasible())
            gs_infeasible("T' holds a lock that T takes");
    }
}

/* mode: 1 exclusive, 2 shared. */
GS_UNUSED static uint64_t gs_acquire(int who, uint64_t lock, int mode, int mutex, uint32_t site)
{
    unsigned char *place = gs_at(who, lock, mutex ? 40 : 4, site);
    if (!place || gs_is_destroyed(who, lock, site))
        return 0;
    unsigned type = mutex ? gs_get(place + 16, 4) & 3 : 0;
    struct gs_lock *held = gs_held(who, lock);
    if (held && (type == 1 || (mode == 2 && held->acquired == 2))) {
        held->depth++;
        return 0;
    }
    if (held) {
        if (type == 2)
            return 35;
        gs_stop(who, "T waits for itself");
        return 0;
    }
    if (gs_n_locks[who] == GS_LOCKS)
        gs_refuse("a thread holds more than 64 locks", site);
    gs_locks[who][gs_n_locks[who]++] = (struct gs_lock){lock, 1, mode};
    gs_lock_event(who, GS_ACQUIRE, lock, (uint32_t)mode, site);
    return 0;
}

GS_UNUSED static uint64_t gs_release(int who, uint64_t lock, int mutex, uint32_t site)
{
    unsigned char *place = gs_at(who, lock, mutex ? 40 : 4, site);
    if (!place || gs_is_destroyed(who, lock, site))
        return 0;
    struct gs_lock *held = gs_held(who, lock);
    if (!held) {
        if (mutex && (gs_get(place + 16, 4) & 3) != 0)
            return 1;
        gs_fail(who, GS_MISUSE, site);
        return 0;
    }
    if (--held->depth > 0)
        return 0;
    uint32_t mode = (uint32_t)held->acquired;
    *held = gs_locks[who][--gs_n_locks[who]];
    gs_lock_event(who, GS_RELEASE, lock, mode, site);
    return 0;
}

/* `type` is the address of attributes, or 0. */
GS_UNUSED static uint64_t gs_mutex_init(int who, uint64_t mutex, uint64_t attributes, uint32_t site)
{
    unsigned char *place = gs_at_to_write(who, mutex, 40, site);
    unsigned char *from = attributes ? gs_at(who, attributes, 4, site) : NULL;
    if (!place)
        return 0;
    memset(place, 0, 40);
    gs_initialise(mutex);
    if (from)
        gs_put(place + 16, 4, gs_get(from, 4) & 3);
    if ((gs_get(place + 16, 4) & 3) != 0 && gs_phase != GS_INIT && gs_phase != GS_FORKED)
        gs_refuse("a mutex of another than the default type is initialised while threads run, which is not supported", site);
    return 0;
}

/* ---- what is destroyed ---- */
/* A lock, a condition or a semaphore is used that was destroyed. */
static int gs_is_destroyed(int who, uint64_t address, uint32_t site)
{
    for (int n = 0; n < gs_n_destroyed; n++)
        if (gs_destroyed[n] == address) {
            gs_fail(who, GS_MISUSE, site);
            return 1;
        }
    return 0;
}

static int gs_is_alone(int who)
{
    for (int number = 1; number <= gs_created; number++)
        if (!gs_joined[number])
            return 0;
    return gs_thread[who] == 0;
}

/* Only where no other thread is left: it is no event. */
GS_UNUSED static void gs_destroy(int who, uint64_t address, uint32_t site)
{
    if (!gs_at(who, address, 1, site) || gs_is_destroyed(who, address, site))
        return;
    if (gs_phase != GS_INIT && !gs_is_alone(who))
        gs_refuse("a lock, a condition or a semaphore is destroyed while threads run, which is not supported", site);
    for (int copy = 0; copy < GS_COPIES; copy++)
        if (gs_held(copy, address)) {
            gs_fail(who, GS_MISUSE, site);
            return;
        }
    if (gs_n_destroyed == GS_LOCKS)
        gs_refuse("more than 64 locks are destroyed", site);
    gs_destroyed[gs_n_destroyed++] = address;
}

/* ---- conditions ---- */
static void gs_condition_event(int who, int kind, uint64_t address, uint64_t condition, uint32_t site)
{
    if (!gs_is_event(who, site))
        return;
    if (who == GS_T) {
        gs_push_condition(kind, address, condition, site);
        if (!(kind & GS_WOKEN))
            gs_use_t(condition);
        if (kind & GS_SLEEP)
            gs_use_t(address);
    } else {
        gs_note_u(kind, address, 1, site, NULL);
        gs_log[who][gs_n[who]].condition = condition;
    }
}

/* The thread sleeps without its mutex, is woken by a signal of another one, and locks again. Whether it ever is woken shows in
 * the order: T' is taken to be. */
GS_UNUSED static void gs_wait_for(int who, uint64_t condition, uint64_t mutex, uint32_t site)
{
    if (!gs_at(who, condition, 48, site) || !gs_at(who, mutex, 40, site) || gs_is_destroyed(who, condition, site))
        return;
    struct gs_lock *held = gs_held(who, mutex);
    if (!held || held->depth != 1)
        gs_refuse("a thread waits for a condition without holding the mutex once, which is not supported", site);
    if (gs_phase == GS_INIT)
        gs_stop(who, "main waits for ever");
    *held = gs_locks[who][--gs_n_locks[who]];
    gs_condition_event(who, GS_RELEASE | GS_SLEEP, mutex, condition, site);
    gs_condition_event(who, GS_WOKEN, 0, condition, site);
    /* T may be woken again and again until it takes a write; T' would find all as it was. */
    gs_epoch[who] += who == GS_T;
    gs_locks[who][gs_n_locks[who]++] = (struct gs_lock){mutex, 1, 1};
    gs_lock_event(who, GS_ACQUIRE, mutex, 1, site);
}

GS_UNUSED static void gs_signal(int who, int to_all, uint64_t condition, uint32_t site)
{
    if (!gs_at(who, condition, 48, site) || gs_is_destroyed(who, condition, site))
        return;
    gs_epoch[who]++;
    gs_condition_event(who, to_all ? GS_SIGNAL | GS_ALL : GS_SIGNAL, 0, condition, site);
    if (who == GS_T && gs_is_event(who, site) && !gs_is_feasible())
        gs_infeasible("T' cannot go as far as it must before T signals");
}

/* ---- semaphores and atomic sections ---- */
GS_UNUSED static void gs_semaphore(int who, uint64_t address, uint64_t value, uint32_t site)
{
    if (!gs_at_to_write(who, address, 32, site))
        return;
    if (gs_phase != GS_INIT)
        gs_refuse("a semaphore is initialised while threads run, which is not supported", site);
    if (gs_n_semaphores == GS_LOCKS)
        gs_refuse("there are more than 64 semaphores", site);
    gs_semaphores[gs_n_semaphores++] = (struct gs_semaphore){address, (int64_t)(value & 0xffffffff), {0}};
}

/* T' is not asked whether it can go on: if not, no order comes to that event. */
GS_UNUSED static void gs_count(int who, uint64_t address, int by, uint32_t site)
{
    if (!gs_at(who, address, 32, site) || gs_is_destroyed(who, address, site))
        return;
    struct gs_semaphore *semaphore = NULL;
    for (int s = 0; s < gs_n_semaphores; s++)
        if (gs_semaphores[s].address == address)
            semaphore = &gs_semaphores[s];
    if (!semaphore)
        gs_refuse("a semaphore is used that was not initialised", site);
    semaphore->by[who] += by;
    gs_epoch[who] += who == GS_T || by > 0;
    if (gs_phase == GS_INIT) {
        semaphore->value += by;
        semaphore->by[who] = 0;
        if (semaphore->value < 0)
            gs_stop(who, "main waits for ever");
        return;
    }
    gs_lock_event(who, by < 0 ? GS_WAIT : GS_POST, address, 1, site);
}

/* They nest, and the outermost counts. */
GS_UNUSED static void gs_section(int who, int begins, uint32_t site)
{
    if (!begins && gs_atomic[who] == 0)
        return;
    gs_atomic[who] += begins ? 1 : -1;
    if (gs_atomic[who] != begins || !gs_is_event(who, site))
        return;
    if (who == GS_T)
        gs_push(begins ? GS_BEGIN : GS_END, 0, 0, site);
    else
        gs_note_u(begins ? GS_BEGIN : GS_END, 0, 0, site, NULL);
    if (who == GS_T && !gs_is_feasible())
        gs_infeasible("T' is in an atomic section");
}

