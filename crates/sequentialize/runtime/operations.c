/* ---- what the program does ---- */
/* A read of any length, as one event. */
static unsigned char *gs_see(int who, int shared, uint64_t address, uint64_t size, uint32_t site)
{
    struct gs_object *object = gs_find(who, address, size, site);
    if (!object)
        return NULL;
    if (shared && gs_phase == GS_FORKED)
        gs_read_while_forked(address, (uint32_t)size, site);
    else if (shared && gs_is_event(who, site)) {
        if (who == GS_T)
            gs_read_t(GS_READ, address, (uint32_t)size, site, object->base);
        else
            gs_note_u(GS_READ, address, (uint32_t)size, site, NULL);
    }
    return gs_memory[who] + object->base + ((address & 0x3fffffff) - 0x100000);
}

/* What was written at `place`, as one event. */
static void gs_wrote(int who, int shared, uint64_t address, uint64_t size, uint32_t site, const unsigned char *place)
{
    gs_epoch[who]++;
    if (shared && gs_is_event(who, site)) {
        if (who == GS_T)
            gs_write_t(GS_WRITE, address, (uint32_t)size, site);
        else
            gs_note_u(GS_WRITE, address, (uint32_t)size, site, place);
    }
}

GS_UNUSED static uint64_t gs_load(int who, int shared, uint64_t address, unsigned size, uint32_t site)
{
    unsigned char *place = gs_see(who, shared, address, size, site);
    return place ? gs_get(place, size) : 0;
}

/* More than eight bytes; the others are given back as a second result. */
GS_UNUSED static uint64_t gs_load_wide(int who, int shared, uint64_t address, unsigned size, uint64_t *high, uint32_t site)
{
    unsigned char *place = gs_see(who, shared, address, size, site);
    *high = place ? gs_get(place + 8, size - 8) : 0;
    return place ? gs_get(place, 8) : 0;
}

GS_UNUSED static void gs_store(int who, int shared, uint64_t address, unsigned size, uint64_t value, uint32_t site)
{
    unsigned char *place = gs_at_to_write(who, address, size, site);
    if (!place)
        return;
    gs_put(place, size, value);
    gs_wrote(who, shared, address, size, site, place);
}

GS_UNUSED static void gs_store_wide(int who, int shared, uint64_t address, unsigned size, uint64_t low, uint64_t high, uint32_t site)
{
    unsigned char *place = gs_at_to_write(who, address, size, site);
    if (!place)
        return;
    gs_put(place, 8, low);
    gs_put(place + 8, size - 8, high);
    gs_wrote(who, shared, address, size, site, place);
}

/* Where an object begins that is there. */
static uint32_t gs_base(uint64_t address)
{
    uint64_t space = address >> 53;
    return gs_objects[space == 0 ? 0 : space - 3][address >> 30 & 0x7fffff].base;
}

GS_UNUSED static uint64_t gs_rmw(int who, int shared, int op, uint64_t address, unsigned size, uint64_t by, uint32_t site)
{
    unsigned char *place = gs_at_to_write(who, address, size, site);
    if (!place)
        return 0;
    int is_event = shared && gs_is_event(who, site);
    if (is_event && who == GS_T)
        gs_read_t(GS_READ | GS_WRITE, address, size, site, gs_base(address));
    uint64_t old = gs_get(place, size);
    gs_put(place, size, gs_modified(op, old, by, 8 * size));
    gs_epoch[who]++;
    if (is_event && who == GS_U)
        gs_note_u(GS_READ | GS_WRITE, address, size, site, place);
    return old;
}

/* A read first, which becomes a write if the values are equal: what is forbidden to a read is forbidden to both. */
GS_UNUSED static uint64_t gs_cas(int who, int shared, uint64_t address, unsigned size, uint64_t expected, uint64_t value, uint32_t site)
{
    unsigned char *place = gs_at_to_write(who, address, size, site);
    if (!place)
        return 0;
    int is_event = shared && gs_is_event(who, site);
    if (is_event && who == GS_T)
        gs_read_t(GS_READ, address, size, site, gs_base(address));
    uint64_t old = gs_get(place, size);
    int happens = old == expected;
    if (happens) {
        gs_put(place, size, value);
        gs_epoch[who]++;
    }
    if (is_event && who == GS_T && happens) {
        gs_becomes_write();
        if (!gs_is_feasible())
            gs_infeasible("T' cannot go as far as it must before T writes");
    }
    if (is_event && who == GS_U)
        gs_note_u(happens ? GS_READ | GS_WRITE : GS_READ, address, size, site, place);
    return old;
}

/* One event that reads and one that writes, as on the machine. */
GS_UNUSED static void gs_move(int who, int shared, int may_overlap, uint64_t to, uint64_t from, uint64_t length, uint32_t site)
{
    length = gs_concrete(length);
    if (length == 0)
        return;
    if (!gs_at(who, from, length, site))
        return;
    unsigned char *place = gs_at_to_write(who, to, length, site);
    if (!place)
        return;
    if (!may_overlap && from != to && from < to + length && to < from + length) {
        gs_fail(who, GS_UNDEFINED, site);
        return;
    }
    const unsigned char *source = gs_see(who, shared, from, length, site);
    if (!source || gs_stopped[who])
        return;
    gs_copy(place, source, length);
    gs_wrote(who, shared, to, length, site, place);
}

GS_UNUSED static void gs_fill(int who, int shared, uint64_t to, uint64_t value, uint64_t length, uint32_t site)
{
    length = gs_concrete(length);
    if (length == 0)
        return;
    unsigned char *place = gs_at_to_write(who, to, length, site);
    if (!place)
        return;
    memset(place, (int)(value & 255), length);
    gs_wrote(who, shared, to, length, site, place);
}

GS_UNUSED static uint64_t gs_malloc(int who, uint64_t size)
{
    gs_epoch[who]++;
    return gs_new(2 + 2 * (unsigned)gs_thread[who], size, 16);
}

GS_UNUSED static uint64_t gs_alloca(int who, uint64_t size, unsigned align)
{
    return gs_new(1 + 2 * (unsigned)gs_thread[who], size, align);
}

/* An object is no more, for all threads if only main runs. */
static void gs_ends(int who, struct gs_object *object)
{
    for (int copy = 0; copy < GS_COPIES; copy++)
        if (copy == who || gs_phase == GS_INIT)
            object->live[copy] = 0;
}

/* Local variables of a function that returns. */
GS_UNUSED static void gs_leave(int who, uint32_t from)
{
    unsigned space = 1 + 2 * (unsigned)gs_thread[who];
    for (uint32_t index = from; index < gs_n_objects[space]; index++)
        gs_ends(who, &gs_objects[space][index]);
}

GS_UNUSED static void gs_free(int who, uint64_t address, uint32_t site)
{
    uint64_t space = address >> 53;
    if (address == 0)
        return;
    struct gs_object *object = gs_find(who, address, 0, site);
    if (!object)
        return;
    if (space < 5 || space % 2 == 0 || (address & 0x3fffffff) != 0x100000) {
        gs_fail(who, GS_BAD_FREE, site);
        return;
    }
    gs_ends(who, object);
    gs_epoch[who]++;
    if (object->size == 0 || gs_phase == GS_FORKED || !gs_is_event(who, site))
        return;
    if (who == GS_T)
        gs_write_t(GS_FREE, address, object->size, site);
    else
        gs_note_u(GS_FREE, address, object->size, site, NULL);
}

GS_UNUSED static uint64_t gs_realloc(int who, uint64_t address, uint64_t size, uint32_t site)
{
    uint64_t moved = gs_malloc(who, size);
    if (address != 0) {
        struct gs_object *object = gs_find(who, address, 0, site);
        if (!object)
            return 0;
        gs_move(who, 1, 1, moved, address, object->size < size ? object->size : size, site);
        gs_free(who, address, site);
    }
    return moved;
}

/* A copy of an argument that is passed by value. */
GS_UNUSED static uint64_t gs_by_value(int who, int shared, uint64_t from, uint64_t size, unsigned align, uint32_t site)
{
    uint64_t copy = gs_alloca(who, size, align);
    gs_move(who, shared, 1, copy, from, size, site);
    return copy;
}

/* ---- locks ---- */
static struct gs_lock *gs_held(int who, uint64_t lock)
{
    for (int l = 0; l < gs_n_locks[who]; l++)
        if (gs_locks[who][l].lock == lock)
            return &gs_locks[who][l];
    return NULL;
}

static void gs_lock_event(int who, int kind, uint64_t lock, uint32_t mode, uint32_t site)
{
    if (!gs_is_event(who, site))
        return;
    if (who == GS_U)
        gs_note_u(kind, lock, mode, site, NULL);
    else {
        gs_push(kind, lock, mode, site);
        if (!gs_is_feasible())
            gs_infeasible("T' holds a lock that T takes");
    }
}

/* mode: 1 exclusive, 2 shared. */
GS_UNUSED static uint64_t gs_acquire(int who, uint64_t lock, int mode, int mutex, uint32_t site)
{
    unsigned char *place = gs_at(who, lock, mutex ? 40 : 4, site);
    if (!place)
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
    if (!place)
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
    if (from)
        gs_put(place + 16, 4, gs_get(from, 4) & 3);
    if ((gs_get(place + 16, 4) & 3) != 0 && gs_phase != GS_INIT && gs_phase != GS_FORKED)
        gs_refuse("a mutex of another than the default type is initialised while threads run, which is not supported", site);
    return 0;
}

/* ---- conditions ---- */
static void gs_condition_event(int who, int kind, uint64_t address, uint64_t condition, uint32_t site)
{
    if (!gs_is_event(who, site))
        return;
    if (who == GS_T)
        gs_push_condition(kind, address, condition, site);
    else {
        gs_note_u(kind, address, 1, site, NULL);
        gs_log[who][gs_n[who]].condition = condition;
    }
}

/* The thread sleeps without its mutex, is woken by a signal of another one, and locks again. Whether it ever is woken shows in
 * the order: T' is taken to be. */
GS_UNUSED static void gs_wait_for(int who, uint64_t condition, uint64_t mutex, uint32_t site)
{
    if (!gs_at(who, condition, 48, site) || !gs_at(who, mutex, 40, site))
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
    if (!gs_at(who, condition, 48, site))
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
    if (!gs_at(who, address, 32, site))
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

/* ---- inputs and assumptions ---- */
GS_UNUSED static uint64_t gs_input(int who, unsigned bits, uint64_t name, const char *function, uint32_t site)
{
    const char *text = name ? (const char *)gs_at(who, name, 1, site) : "";
    int thread = gs_thread[who];
    unsigned nth = gs_n_inputs_of[thread]++;
    if (gs_n_inputs == GS_INPUTS)
        gs_refuse("the program asks for too many inputs", site);
    uint64_t value = gs_draw(bits, text ? text : "", thread, nth);
    gs_inputs[gs_n_inputs++] = (struct gs_input){thread, nth, bits, value, function, text};
    gs_epoch[who]++;
    return value;
}

GS_UNUSED static void gs_assume(int who, int holds)
{
    if (gs_phase == GS_RUN_U && who == GS_U) {
        /* T' may not get this far, and T may not need it to. */
        if (!holds)
            gs_stop(who, "");
        return;
    }
    if (!holds)
        gs_infeasible("an assumption of the program does not hold");
}

GS_UNUSED static uint64_t gs_range(int who, uint64_t least, uint64_t most, uint64_t name, const char *function, uint32_t site)
{
    uint64_t value = gs_input(who, 32, name, function, site);
    gs_suppose((gs_signed(least, 32) <= gs_signed(value, 32)) & (gs_signed(value, 32) <= gs_signed(most, 32)));
    return value;
}

GS_UNUSED static void gs_symbolic(int who, uint64_t address, uint64_t size, uint64_t name, const char *function, uint32_t site)
{
    size = gs_concrete(size);
    if (size == 1 || size == 2 || size == 4 || size == 8) {
        gs_store(who, 1, address, (unsigned)size, gs_input(who, 8 * (unsigned)size, name, function, site), site);
        return;
    }
    for (uint64_t i = 0; i < size && !gs_stopped[who]; i++)
        gs_store(who, 1, address + i, 1, gs_input(who, 8, name, function, site), site);
}

/* ---- loops ---- */
GS_UNUSED static void gs_turn(int who)
{
    if (++gs_loops[who] > GS_LOOPS)
        gs_stop_at_bound(who, "loops go round more often than GS_LOOPS");
}
GS_UNUSED static void gs_wait(int who) { gs_stop(who, "T waits in a loop for ever"); }

