/* Launches kernels in order, as the driver takes them: by pointers to their arguments. Most of these
   point into one table, in which a call has written where its memory is. */

typedef struct {
    void *function;
    unsigned grid[3], threads, shared_bytes;
    void **arguments;
} Kernel;

typedef int Launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void *, void **, void **);

/* 0, or the driver's error of the first kernel that it does not take. */
int launch_in_order(const Kernel *kernels, long count, void *stream, Launch *launch)
{
    for (long i = 0; i < count; i++) {
        const Kernel *k = kernels + i;
        int error = launch(k->function, k->grid[0], k->grid[1], k->grid[2], k->threads, 1, 1,
                           k->shared_bytes, stream, k->arguments, 0);
        if (error)
            return error;
    }
    return 0;
}
