
static void gs_make_globals(void)
{
    gs_n_objects[0] = 1;
    for (int copy = 0; copy < GS_COPIES; copy++)
        gs_epoch[copy] = 1;
    for (uint32_t i = 0; i + 1 < sizeof gs_globals / sizeof gs_globals[0]; i++) {
        gs_new(0, gs_globals[i].size, gs_globals[i].align);
        struct gs_object *object = &gs_objects[0][i + 1];
        object->constant = (unsigned char)gs_globals[i].constant;
        for (int copy = 0; copy < GS_COPIES && gs_globals[i].n_bytes > 0; copy++)
            memcpy(gs_memory[copy] + object->base, gs_globals[i].bytes, gs_globals[i].n_bytes);
    }
}

GS_UNUSED static uint64_t gs_make_arguments(int who, const char *const *arguments, unsigned n)
{
    uint64_t vector = gs_new(2, 8 * (uint64_t)(n + 1), 16);
    for (unsigned i = 0; i < n; i++) {
        uint64_t size = strlen(arguments[i]) + 1, text = gs_new(2, size, 1);
        memcpy(gs_at(who, text, size, 0), arguments[i], size);
        gs_put(gs_at(who, vector + 8 * i, 8, 0), 8, text);
    }
    return vector;
}

/* The thread-local variable `global` of the thread that runs. */
GS_UNUSED static uint64_t gs_thread_local(int who, uint32_t global)
{
    static uint64_t known[GS_THREADS + 2][sizeof gs_globals / sizeof gs_globals[0]];
    uint64_t *address = &known[gs_thread[who]][global];
    if (*address == 0) {
        unsigned space = 2 + 2 * (unsigned)gs_thread[who];
        *address = gs_new(space, gs_globals[global].size, gs_globals[global].align);
        gs_objects[space][gs_n_objects[space] - 1].is_thread_local = 1;
        for (int copy = 0; copy < GS_COPIES && gs_globals[global].n_bytes > 0; copy++)
            memcpy(gs_at(copy, *address, gs_globals[global].size, 0), gs_globals[global].bytes, gs_globals[global].n_bytes);
    }
    return *address;
}
