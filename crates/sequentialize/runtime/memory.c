/* ---- memory ---- */
/* The same number, one path for each value that it can have. */
static uint64_t gs_concrete(uint64_t value)
{
    uint64_t known = 0;
    for (int bit = 63; bit >= 0; bit--)
        if (value >> bit & 1)
            known |= UINT64_C(1) << bit;
    return known;
}

static uint64_t gs_new(unsigned space, uint64_t size, unsigned align)
{
    uint32_t index = gs_n_objects[space]++;
    size = gs_concrete(size);
    if (index >= GS_OBJECTS || size > GS_ARENA || gs_top + size + align > GS_ARENA)
        gs_refuse("the program needs more memory than the sequentialized one has; compile it with larger GS_ARENA and GS_OBJECTS", 0);
    gs_top = (gs_top + align - 1) / align * align;
    struct gs_object *object = &gs_objects[space][index];
    object->base = gs_top;
    object->size = (uint32_t)size;
    for (int copy = 0; copy < GS_COPIES; copy++)
        object->live[copy] = 1;
    gs_top += (uint32_t)size + 1;
    uint64_t number = space == 0 ? 0 : space + 3;
    return number << 53 | (uint64_t)index << 30 | 1u << 20;
}

/* The object of an access, or null if there is none and T' was stopped for it. */
static struct gs_object *gs_find(int who, uint64_t address, uint64_t size, uint32_t site)
{
    uint64_t space = address >> 53, index = address >> 30 & 0x7fffff, offset = (address & 0x3fffffff) - 0x100000;
    if (space == 0 && index == 0) {
        gs_fail(who, GS_NULL, site);
        return NULL;
    }
    space = space == 0 ? 0 : space - 3;
    if (GS_MOST_K2 > 0 && who == GS_U && gs_phase == GS_RUN_U && (space == 1 + 2 * GS_NUMBER || space == 2 + 2 * GS_NUMBER)
        && index >= gs_n_objects[space]) {
        gs_stop_at_bound(who, "T' uses an object that T makes while both run");
        return NULL;
    }
    if (space >= GS_SPACES || index >= gs_n_objects[space]) {
        gs_fail(who, GS_POINTER, site);
        return NULL;
    }
    struct gs_object *object = &gs_objects[space][index];
    if (!object->live[who]) {
        gs_fail(who, GS_FREED, site);
        return NULL;
    }
    if (offset > object->size || size > object->size - offset) {
        gs_fail(who, GS_BOUNDS, site);
        return NULL;
    }
    /* Returning is no event of T', nor is its end, so nothing says whether T comes before it. */
    for (int u = 1; u < GS_COPIES && who == GS_T && gs_phase >= GS_RUN_T; u++) {
        int is_its_own = space > 0 && (int)((space - 1) / 2) == gs_thread[u];
        if (space % 2 == 1 && is_its_own && (!object->live[u] || object->was_left))
            gs_refuse("a thread uses a local variable of another one whose function returns, which is not supported", site);
        if (is_its_own && object->is_thread_local)
            gs_refuse("a thread uses a thread-local variable of another one, which is not supported", site);
    }
    return object;
}

static unsigned char *gs_at(int who, uint64_t address, uint64_t size, uint32_t site)
{
    struct gs_object *object = gs_find(who, address, size, site);
    return object ? gs_memory[who] + object->base + ((address & 0x3fffffff) - 0x100000) : NULL;
}

static unsigned char *gs_at_to_write(int who, uint64_t address, uint64_t size, uint32_t site)
{
    struct gs_object *object = gs_find(who, address, size, site);
    if (object && object->constant) {
        gs_fail(who, GS_READ_ONLY, site);
        return NULL;
    }
    return object ? gs_memory[who] + object->base + ((address & 0x3fffffff) - 0x100000) : NULL;
}

static uint64_t gs_get(const unsigned char *place, unsigned size)
{
    uint64_t value = 0;
    switch (size) {
    case 1: return *place;
    case 2: { uint16_t half; memcpy(&half, place, 2); return half; }
    case 4: { uint32_t word; memcpy(&word, place, 4); return word; }
    case 8: memcpy(&value, place, 8); return value;
    default: for (unsigned i = 0; i < size; i++) value |= (uint64_t)place[i] << (8 * i); return value;
    }
}

static void gs_put(unsigned char *place, unsigned size, uint64_t value)
{
    switch (size) {
    case 1: *place = (unsigned char)value; break;
    case 2: { uint16_t half = (uint16_t)value; memcpy(place, &half, 2); break; }
    case 4: { uint32_t word = (uint32_t)value; memcpy(place, &word, 4); break; }
    case 8: memcpy(place, &value, 8); break;
    default: for (unsigned i = 0; i < size; i++) place[i] = (unsigned char)(value >> (8 * i));
    }
}
/* Copies bytes of a range that a reader or writer may share with a pool. */
static void gs_copy(unsigned char *to, const unsigned char *from, uint64_t size)
{
    if (size == 1 || size == 2 || size == 4 || size == 8)
        gs_put(to, (unsigned)size, gs_get(from, (unsigned)size));
    else
        memmove(to, from, size);
}
