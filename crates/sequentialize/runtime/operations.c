/* ---- what the program does ---- */
/* A read of any length, as one event. */
static unsigned char *gs_see(int who, int shared, uint64_t address, uint64_t size, uint32_t site)
{
    struct gs_object *object = gs_find(who, address, size, site);
    if (!object)
        return NULL;
    unsigned char *place = gs_memory[who] + object->base + ((address & 0x3fffffff) - 0x100000);
    if (shared && gs_phase == GS_FORKED)
        gs_read_while_forked(address, (uint32_t)size, site);
    else if (shared && gs_is_event(who, site)) {
        if (who == GS_T)
            gs_read_t(GS_READ, address, (uint32_t)size, site, object->base);
        else {
            gs_guess((uint32_t)size, site, place);
            gs_note_u(GS_READ, address, (uint32_t)size, site, NULL);
        }
    }
    return place;
}

/* What was written at `place`, as one event. */
static void gs_wrote(int who, int shared, uint64_t address, uint64_t size, uint32_t site, const unsigned char *place)
{
    gs_epoch[who]++;
    if (shared && gs_is_event(who, site)) {
        if (who == GS_T) {
            gs_write_t(GS_WRITE, address, (uint32_t)size, site);
            gs_offer(place);
        } else
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
    if (is_event && who == GS_U)
        gs_guess(size, site, place);
    uint64_t old = gs_get(place, size);
    gs_put(place, size, gs_modified(op, old, by, 8 * size));
    gs_epoch[who]++;
    if (is_event && who == GS_T)
        gs_offer(place);
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
    if (is_event && who == GS_U)
        gs_guess(size, site, place);
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
        gs_offer(place);
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

/* The scope of a local variable begins or ends. */
GS_UNUSED static void gs_scope(int who, int begins, uint64_t address)
{
    struct gs_object *object = &gs_objects[(address >> 53) - 3][address >> 30 & 0x7fffff];
    if (!begins) {
        gs_ends(who, object);
        object->was_left = gs_phase != GS_INIT;
    } else
        object->live[who] = 1;
    for (int copy = 0; copy < GS_COPIES && begins && gs_phase == GS_INIT; copy++)
        object->live[copy] = 1;
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

/* Text up to its end, which is printed. */
GS_UNUSED static void gs_see_text(int who, int shared, uint64_t address, uint32_t site)
{
    while (!gs_stopped[who] && gs_load(who, shared, address++, 1, site) != 0)
        if (++gs_loops[who] > GS_LOOPS)
            gs_stop_at_bound(who, "loops go round more often than GS_LOOPS");
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

