/* The wall clock of the processes that are told to load this first (LD_PRELOAD): the machine's, and
 * beside it as many seconds as stand in the file that CLOCK_APART names. Whoever changes the file
 * sets their clock. Clocks that only count on are the machine's, as where somebody sets its time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long *apart;
static int (*machines)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find(void) {
  machines = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *name = getenv("CLOCK_APART");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *seen = mmap(0, sizeof *apart, PROT_READ, MAP_SHARED, file, 0);
  if (seen != MAP_FAILED) apart = seen;
  close(file);
}

int clock_gettime(clockid_t which, struct timespec *at) {
  if (!machines) find();
  int failed = machines(which, at);
  if (!failed && apart && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
    at->tv_sec += *apart;
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  if (!failed && at) *at = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return failed;
}

time_t time(time_t *at) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
