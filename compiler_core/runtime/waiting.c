// Preloaded into a C compiler: holds it where it opens its text, and forks it for each text.
//
// By then it is loaded and has filled its tables, which is the same for every text. The process of
// the next text is forked ahead, and has its memory at hand when the text comes. What is to be
// compiled is read from the standard input, two lines each: the text's path, and the shell's command
// that takes the assembly. "y" or "n" is written when that is done, "r" once before the first.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 1 << 16, GROWTH = 4 << 20 };

// What the compiler is given as its text includes this, which is no file.
static const char NAME[] = "the-text.c";

// gcc's own function for what it puts off until the first function that it compiles. Another
// compiler, or another version, has none, and does it then.
#ifndef PUT_OFF
#define PUT_OFF "_Z14initialize_rtlv"
#endif

static char given[LONGEST], taker[LONGEST];
static int is_forked;

static void say(char word) {
    if (write(1, &word, 1) != 1) _exit(1);
}

static int next(char *line) {
    if (!fgets(line, LONGEST, stdin)) return 0;
    line[strcspn(line, "\n")] = 0;
    return 1;
}

static void initialize(void) {
    void (*rtl)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, PUT_OFF);
    if (rtl) rtl();
    // What a text adds to the heap is there already, and stays.
    mallopt(M_TOP_PAD, GROWTH);
    mallopt(M_TRIM_THRESHOLD, 2 * GROWTH);
    free(malloc(GROWTH / 4));
}

// A forked process has its pages still to find, and to copy those that it writes: thousands of
// faults, which are one call for each mapping here. A system that has no such call has the faults.
static void find_pages(void) {
#ifdef MADV_POPULATE_WRITE
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long low, high;
    char may[8];
    while (maps && fscanf(maps, "%lx-%lx %7s%*[^\n]", &low, &high, may) == 3)
        if (may[0] == 'r')
            madvise((void *)low, high - low, may[1] == 'w' ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
    if (maps) fclose(maps);
#endif
}

// A process that is to compile one text: where its path is written, and its assembly read.
struct compiler {
    pid_t pid;
    int path, assembly;
};

static struct compiler fork_ahead(void) {
    int path[2], assembly[2];
    if (pipe2(path, O_CLOEXEC) || pipe2(assembly, O_CLOEXEC)) _exit(1);
    pid_t pid = fork();
    if (pid < 0) _exit(1);
    if (pid) {
        close(path[0]);
        close(assembly[1]);
        return (struct compiler){pid, path[1], assembly[0]};
    }
    is_forked = 1;
    close(path[1]);
    close(assembly[0]);
    if (dup2(assembly[1], 1) != 1) _exit(1);
    close(assembly[1]);
    find_pages();
    ssize_t length = read(path[0], given, LONGEST - 1);
    if (length <= 0) _exit(0);
    given[length] = 0;
    close(path[0]);
    return (struct compiler){0};
}

// Whether the text `given` was compiled by `it`, and the assembly taken.
static int compile(struct compiler it) {
    char *command[] = {"sh", "-c", taker, 0};
    int compiled = -1, taken = -1;
    pid_t pid;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, it.assembly, 0);
    int failed = posix_spawn(&pid, "/bin/sh", &files, 0, command, environ);
    posix_spawn_file_actions_destroy(&files);
    close(it.assembly);
    if (!failed && write(it.path, given, strlen(given)) < 0) failed = 1;
    close(it.path);
    waitpid(it.pid, &compiled, 0);
    if (!failed) waitpid(pid, &taken, 0);
    return !failed && !compiled && !taken;
}

// Returns in the processes that compile a text.
static void wait_for_texts(void) {
    initialize();
    unsetenv("LD_PRELOAD");
    say('r');
    struct compiler ahead = fork_ahead();
    while (!is_forked && next(given) && next(taker)) {
        say(compile(ahead) ? 'y' : 'n');
        ahead = fork_ahead();
    }
    if (is_forked) return;
    close(ahead.path);
    waitpid(ahead.pid, 0, 0);
    _exit(0);
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    int (*usual)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (strcmp(path, NAME)) return usual(path, flags, mode);
    if (!is_forked) wait_for_texts();
    return usual(given, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
