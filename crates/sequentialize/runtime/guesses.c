/* ---- what T' reads of T ---- */
/* T' runs first, so a value that it takes from T is guessed: an input. It is checked when T makes the write that is taken. */
#if GS_MOST_K2 > 0
/* `event` of T' takes `source` of T, 0 until T has made it. Bytes in the pool: what T' had there itself, then the guess. */
struct gs_guess { int event, source; uint32_t bytes; };
static struct gs_guess gs_guesses[GS_MOST_K2];
static uint32_t gs_reads2, gs_writes2;

static int gs_is_guess(int event)
{
    for (int n = 0; n < gs_next2; n++)
        if (gs_guesses[n].event == event)
            return 1;
    return 0;
}

/* T' is about to read. If the inputs say so, it takes something of T. */
static void gs_guess(uint32_t size, uint32_t site, unsigned char *place)
{
    if (gs_n[GS_U] == GS_EVENTS || gs_pool_top + 3 * size > GS_POOL || !gs_sites[site].reads_others)
        return;
    uint32_t number = ++gs_reads2;
    if (gs_next2 == GS_K2 || !gs_sites[site].reads || gs_rds2[gs_next2] != number)
        return;
    gs_guesses[gs_next2++] = (struct gs_guess){gs_n[GS_U] + 1, 0, gs_pool_top};
    gs_epoch[GS_U]++;
    gs_copy(gs_pool + gs_pool_top, place, size);
    for (uint32_t at = 0; at < size; at += 8) {
        unsigned piece = size - at < 8 ? size - at : 8;
        gs_put(place + at, piece, gs_draw_guess(piece == 1 || piece == 2 || piece == 4 ? 8 * piece : 64));
    }
    gs_copy(gs_pool + gs_pool_top + size, place, size);
    gs_pool_top += 2 * size;
}

GS_UNUSED static int gs_guess_event(int n) { return gs_guesses[n].event; }

/* Whether T' has a byte since this event because it took it from T. */
static int gs_is_guessed(int event, uint64_t byte)
{
    return gs_is_guess(event) && gs_overlap(&gs_log[GS_U][event], byte, 1);
}

/* Guesses of which T has not yet made the write. */
static int gs_unconfirmed(void)
{
    int open = 0;
    for (int n = 0; n < gs_next2; n++)
        open += !gs_guesses[n].source;
    return open;
}

static int gs_open_guesses(void) { return GS_K2 - gs_next2 + gs_unconfirmed(); }

/* The last event that T' must make: its last read of T. */
static int gs_least_u(void) { return gs_next2 > 0 ? gs_guesses[gs_next2 - 1].event : 0; }

/* T' does not take what T has not written. */
static void gs_keep_guesses_closed(int i)
{
    for (int n = 0; n < gs_next2; n++)
        gs_h[i][gs_guesses[n].event] = (unsigned short)(gs_h[i][gs_guesses[n].event] + !gs_guesses[n].source);
}

/* Event i of T writes what a read of T' sees that takes another write of T: it comes after the read, or before the write that the
 * bytes come from. Gives back the row from which on something has changed. */
static int gs_keep_guess(const struct gs_guess *guess, int i)
{
    const struct gs_event *read = &gs_log[GS_U][guess->event], *write = &gs_log[GS_T][i], *source = &gs_log[GS_T][guess->source];
    int from = guess->event;
    for (uint64_t byte = read->address; byte < read->address + read->size && i != guess->source && write->kind & GS_WRITE; byte++) {
        if (!gs_overlap(write, byte, 1))
            continue;
        if (!gs_overlap(source, byte, 1))
            from = gs_min(from, gs_u_source(GS_U, guess->event, byte, byte + 1));
        else if (i > guess->source)
            from = 0;
    }
    for (int j = from; j < guess->event; j++)
        gs_v[i][j] = 1;
    return from < guess->event ? i : gs_n[GS_T];
}

/* T' reads another part of the write later, which is no further source. */
static void gs_check_other_parts(const struct gs_guess *guess)
{
    const struct gs_event *read = &gs_log[GS_U][guess->event], *write = &gs_log[GS_T][guess->source];
    for (int r = guess->event + 1; r <= gs_n[GS_U]; r++)
        for (uint64_t byte = write->address; byte < write->address + write->size; byte++)
            if (gs_log[GS_U][r].kind & GS_READ && gs_overlap(&gs_log[GS_U][r], byte, 1) && !gs_overlap(read, byte, 1)
                && gs_u_source(GS_U, r, byte, byte + 1) < guess->event)
                gs_refuse("T' may read another part of a write of T of which it has read a part before, which is not supported", gs_log[GS_U][r].site);
}

/* The read takes event i of T, which has written `place`: it comes after what T' wrote itself, and the guess was right. */
static void gs_confirm(struct gs_guess *guess, int i, const unsigned char *place)
{
    const struct gs_event *read = &gs_log[GS_U][guess->event], *write = &gs_log[GS_T][i];
    int own = 0, first = i, same = 1;
    int is_whole = write->address <= read->address && read->address + read->size <= write->address + write->size;
    if (!is_whole && GS_K2 > 1)
        gs_refuse("T' may read bytes of several writes of T at once, which is not supported", read->site);
    guess->source = i;
    for (uint32_t b = 0; b < read->size; b++) {
        uint64_t byte = read->address + b;
        int is_taken = gs_overlap(write, byte, 1), of_u = gs_u_source(GS_U, guess->event, byte, byte + 1);
        unsigned char is = is_taken ? place[byte - write->address] : gs_pool[guess->bytes + b];
        same &= is == gs_pool[guess->bytes + read->size + b];
        if (is_taken && of_u > own)
            own = of_u;
    }
    gs_suppose(same);
    gs_h[i][guess->event]--;
    for (int j = 0; j < own; j++)
        gs_v[i][j] = 1;
    for (int t = 1; t < i; t++)
        first = gs_min(first, gs_keep_guess(guess, t));
    gs_rows(first);
    if (!gs_is_feasible())
        gs_infeasible("T' cannot take this write of T");
    gs_check_other_parts(guess);
}

static int gs_may_be_taken(const struct gs_guess *guess, const struct gs_event *write)
{
    const struct gs_event *read = &gs_log[GS_U][guess->event];
    return !guess->source && gs_sites[write->site].writes && gs_overlap(write, read->address, read->size);
}

/* The last event of T has written `place`. */
static void gs_offer(const unsigned char *place)
{
    int i = gs_n[GS_T], first = i;
    const struct gs_event *write = &gs_log[GS_T][i];
    for (int n = 0; n < gs_next2; n++)
        if (gs_guesses[n].source)
            first = gs_min(first, gs_keep_guess(&gs_guesses[n], i));
    gs_rows(first);
    if (!gs_is_feasible())
        gs_infeasible("T writes what T' has yet to read of an earlier write");
    if (!gs_has_u(GS_READ, write->address, write->size))
        return;
    uint32_t number = ++gs_writes2;
    for (int n = 0; n < gs_next2; n++)
        if (gs_may_be_taken(&gs_guesses[n], write) && gs_wrts2[n] == number) {
            gs_confirm(&gs_guesses[n], i, place);
            return;
        }
}
#endif
