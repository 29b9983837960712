/* The runtime of a sequentialized program. Copy 0 of the memory belongs to T, each other one to another thread. Pointers are numbers
 * (allocator, object, offset) that mean the same in all copies; an access adds the place of the object in its copy. */
#define GS_UNUSED __attribute__((unused))
#define GS_T 0
#if GS_THREADS > 2
/* T' is all threads but T, each of which runs by itself: the one that does. */
#define GS_COPIES GS_THREADS
static int gs_u = 1;
#define GS_U gs_u
#else
#define GS_COPIES 2
#define GS_U 1
#endif

enum { GS_READ = 1, GS_WRITE = 2, GS_FREE = 4, GS_ACQUIRE = 8, GS_RELEASE = 16, GS_JOIN = 32, GS_BEGIN = 64, GS_END = 128, GS_WAIT = 256, GS_POST = 512,
       GS_SLEEP = 1024, GS_WOKEN = 2048, GS_SIGNAL = 4096,
       /* Of T: the same operation as the event before, which takes another write or waits for another thread. */
       GS_MORE = 8192,
       /* A signal to all who sleep. */
       GS_ALL = 16384 };
enum gs_failure {
    GS_ASSERTION, GS_NULL, GS_POINTER, GS_BOUNDS, GS_FREED, GS_READ_ONLY, GS_DIVISION, GS_OVERFLOW, GS_SHIFT, GS_BAD_FREE,
    GS_MISUSE, GS_ABORTED, GS_UNDEFINED
};
/* Added to a failure that comes after one of another thread. */
enum { GS_OVERTAKEN = 100 };
static const char *const gs_failure_names[] GS_UNUSED = {
    "assertion", "null pointer", "invalid pointer", "out of bounds", "use after free", "write to read-only memory",
    "division", "overflow", "shift", "bad free", "lock misuse", "abort", "undefined behaviour"
};
/* Who runs: main before it creates threads; main while others run; T'; T; main after it joined T. */
enum { GS_INIT, GS_FORKED, GS_RUN_U, GS_RUN_T, GS_AFTER };

#ifndef GS_ARENA
#define GS_ARENA (1u << 18)
#endif
#ifndef GS_OBJECTS
#define GS_OBJECTS 2048u
#endif
#ifndef GS_EVENTS
#define GS_EVENTS 400
#endif
#ifndef GS_POOL
#define GS_POOL (1u << 16)
#endif
#ifndef GS_LOOPS
#define GS_LOOPS 1000000ul
#endif
/* Bytes that T reads at once. */
#ifndef GS_BULK
#define GS_BULK 4096u
#endif
#define GS_LOCKS 64
#define GS_INPUTS 256
#define GS_SPACES (2 * (GS_THREADS > 2 ? GS_THREADS : 2) + 3)

/* Globals, then stack and heap of main and of the two threads. */
struct gs_object {
    uint32_t base, size;
    unsigned char live[GS_COPIES], constant;
    /* A variable that a thread has left, and may have entered again; a thread-local one. */
    unsigned char was_left, is_thread_local;
};
static struct gs_object gs_objects[GS_SPACES][GS_OBJECTS];
static uint32_t gs_n_objects[GS_SPACES];
static unsigned char gs_memory[GS_COPIES][GS_ARENA];
static uint32_t gs_top = 64;

struct gs_event {
    uint64_t address;
    uint32_t size, site, bytes, number;
    int kind;
    /* Of a non-local read of T: the event of T' that it takes, and whose it is. */
    int source, source_of;
    /* The condition that a thread waits for or signals. */
    uint64_t condition;
};
static struct gs_event gs_log[GS_COPIES][GS_EVENTS + 1];
static int gs_n[GS_COPIES];
static unsigned char gs_pool[GS_POOL];
static uint32_t gs_pool_top;

struct gs_lock { uint64_t lock; unsigned depth; int acquired; };
static struct gs_lock gs_locks[GS_COPIES][GS_LOCKS];
static int gs_n_locks[GS_COPIES];

/* A semaphore: what it began with, and what each thread has added to it. Neither count is below zero at any point of an order. */
struct gs_semaphore { uint64_t address; int64_t value; int64_t by[GS_COPIES]; };
static struct gs_semaphore gs_semaphores[GS_LOCKS];
static int gs_n_semaphores;

static int gs_phase, gs_created, gs_has_run, gs_next, gs_joined[GS_THREADS + 2], gs_atomic[GS_COPIES];
static int gs_n_nonlocal;
/* Whether each thread of T' came to its end, and whether it failed. */
static int gs_ended[GS_COPIES], gs_failed[GS_COPIES] GS_UNUSED;
static uint32_t gs_reads, gs_writes;
/* The number of the thread that each copy's code belongs to now. */
static int gs_thread[GS_COPIES];
static uint64_t gs_start[GS_THREADS + 2], gs_argument[GS_THREADS + 2], gs_result[GS_THREADS + 2];
/* Code of a thread returns at once when this is set: it has ended or goes no further. */
static int gs_stopped[GS_COPIES];
static int gs_exited[GS_COPIES];
/* Grows with every change that a thread makes, for loops that change nothing. */
static uint64_t gs_epoch[GS_COPIES];
static unsigned long gs_loops[GS_COPIES];
static uint32_t gs_rds[GS_MOST_K + 1], gs_wrts[GS_MOST_K + 1];
/* Reads of T' that take writes of T, and how many have. */
static uint32_t gs_rds2[GS_MOST_K2 + 1] GS_UNUSED, gs_wrts2[GS_MOST_K2 + 1] GS_UNUSED;
static int gs_next2 GS_UNUSED;
#if GS_MOST_K2 > 0
static void gs_guess(uint32_t size, uint32_t site, unsigned char *place);
static void gs_offer(const unsigned char *place);
static int gs_is_guess(int event);
GS_UNUSED static int gs_guess_event(int n);
static int gs_is_guessed(int event, uint64_t byte);
static int gs_open_guesses(void);
static int gs_unconfirmed(void);
static int gs_least_u(void);
static void gs_keep_guesses_closed(int i);
#else
#define gs_guess(size, site, place) ((void)0)
#define gs_offer(place) ((void)0)
#define gs_is_guess(event) 0
#define gs_guess_event(n) 0
#define gs_is_guessed(event, byte) 0
#define gs_open_guesses() 0
#define gs_unconfirmed() 0
#define gs_least_u() 0
#define gs_keep_guesses_closed(i) ((void)0)
#endif
static unsigned gs_n_inputs_of[GS_THREADS + 2];
static uint64_t gs_ret[GS_COPIES][16] GS_UNUSED;

struct gs_input { int thread; unsigned nth, bits; uint64_t value; const char *function, *name; };
static struct gs_input gs_inputs[GS_INPUTS] GS_UNUSED;
static unsigned gs_n_inputs GS_UNUSED;

/* Whether what is there may be non-local or taken, as far as the user wants, and whether it may read what another thread writes. */
struct gs_site { uint32_t function, pc; const char *file; uint32_t line; unsigned char reads, writes, reads_others; };
static const struct gs_site gs_sites[];

static void gs_fail(int who, int what, uint32_t site);
static void gs_fail_at(uint32_t site, int what);
GS_UNUSED static uint64_t gs_call_T(uint64_t function, uint64_t argument);
GS_UNUSED static uint64_t gs_call_U(uint64_t function, uint64_t argument);

/* A bound of this program kept T' from going on, with the sentence that says which. */
static const char *gs_cut;
static void gs_look_at_cuts(void);

