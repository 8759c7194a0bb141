// Compiled with each program: what its parallel regions begin by (docs/decisions/0065).
//
// A thread that has slept is often woken on the processor of the one that wakes it, and would wait
// there until that one has done its own share. Whoever finds itself on the processor of the thread
// that began the region moves to another. That thread lets it: by giving way before its share, if
// the other was last seen there, and after it, if the other has not begun yet.
//
// And a region's threads have the floating-point mode of the one that began it: programs that have
// denormal numbers as zeros begin no region of its own for that (docs/decisions/0040).

#if defined(__x86_64__)
#define SPREAD_MODE() __builtin_ia32_stmxcsr()
#define SPREAD_SET_MODE(mode) __builtin_ia32_ldmxcsr(mode)
#elif defined(__aarch64__)
#define SPREAD_MODE() __builtin_aarch64_get_fpcr()
#define SPREAD_SET_MODE(mode) __builtin_aarch64_set_fpcr(mode)
#else
#define SPREAD_MODE() 0
#define SPREAD_SET_MODE(mode) ((void)(mode))
#endif

enum { SPREAD_THREADS = 256, SPREAD_WORDS = 16 };

typedef struct {
    void (*body)(void *);
    void *data;
    int processor, begun;
    unsigned mode;
} spread_region;

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int sched_getcpu(void);
int sched_yield(void);
int sched_getaffinity(int, unsigned long, unsigned long *);
int sched_setaffinity(int, unsigned long, const unsigned long *);
void *dlsym(void *, const char *);

// On which processor each thread was last seen, plus one.
static int spread_seen[SPREAD_THREADS];

// Moves the calling thread from this processor to another that it may run on, as long as there are
// enough for all threads; it may run on all of them afterwards.
__attribute__((visibility("hidden"))) void spread_leave(int processor, int threads) {
    unsigned long all[SPREAD_WORDS] = {0}, others[SPREAD_WORDS];
    if (sched_getaffinity(0, sizeof all, all) < 0) return;
    int count = 0;
    for (int i = 0; i < SPREAD_WORDS; i++) {
        others[i] = all[i];
        count += __builtin_popcountl(all[i]);
    }
    if (count < threads || processor < 0 || processor >= 64 * SPREAD_WORDS) return;
    others[processor / 64] &= ~(1ul << processor % 64);
    if (!sched_setaffinity(0, sizeof others, others)) sched_setaffinity(0, sizeof all, all);
}

static void spread_first(spread_region *r, int threads) {
    for (int i = 1; i < threads && i < SPREAD_THREADS; i++) {
        if (__atomic_load_n(&spread_seen[i], __ATOMIC_RELAXED) != r->processor + 1) continue;
        if (__atomic_load_n(&r->begun, __ATOMIC_RELAXED) < threads - 1) sched_yield();
        break;
    }
    r->body(r->data);
    if (__atomic_load_n(&r->begun, __ATOMIC_RELAXED) < threads - 1) sched_yield();
}

static void spread_body(void *given) {
    spread_region *r = given;
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    if (!thread) {
        spread_first(r, threads);
        return;
    }
    __atomic_add_fetch(&r->begun, 1, __ATOMIC_RELAXED);
    if (sched_getcpu() == r->processor) spread_leave(r->processor, threads);
    int seen = sched_getcpu() + 1;
    if (thread < SPREAD_THREADS) __atomic_store_n(&spread_seen[thread], seen, __ATOMIC_RELAXED);
    unsigned own = SPREAD_MODE();
    SPREAD_SET_MODE(r->mode);
    r->body(r->data);
    SPREAD_SET_MODE(own);
}

// libgomp's own of the same name, which this library alone does not see.
static void *spread_next(const char *name) { return dlsym((void *)-1l, name); }

// What gcc calls for a region.
__attribute__((visibility("hidden"))) void GOMP_parallel(
    void (*body)(void *), void *data, unsigned threads, unsigned flags
) {
    static void (*next)(void (*)(void *), void *, unsigned, unsigned);
    if (!next) next = spread_next("GOMP_parallel");
    spread_region r = {body, data, sched_getcpu(), 0, SPREAD_MODE()};
    if (threads == 1) next(body, data, threads, flags);
    else next(spread_body, &r, threads, flags);
}

// And for one that is a loop whose iterations are taken one by one.
__attribute__((visibility("hidden"))) void GOMP_parallel_loop_nonmonotonic_dynamic(
    void (*body)(void *), void *data, unsigned threads, long start, long end, long step, long chunk,
    unsigned flags
) {
    static void (*next)(void (*)(void *), void *, unsigned, long, long, long, long, unsigned);
    if (!next) next = spread_next("GOMP_parallel_loop_nonmonotonic_dynamic");
    spread_region r = {body, data, sched_getcpu(), 0, SPREAD_MODE()};
    if (threads == 1) next(body, data, threads, start, end, step, chunk, flags);
    else next(spread_body, &r, threads, start, end, step, chunk, flags);
}
