"""The system calls that a snippet may make whatever their arguments, and those that are refused."""


def _words(text: str) -> list[str]:
    return text.split()


# What Python, torch, jax, triton, gcc and ld need, and what programs of their kind may need. Not
# epoll: of what it watches a user has so much, and all runs, maybe the web as well, are one; a file
# is watched once for each of a process's thousand numbers, so that one run could take all of it.
# Not sendfile: one byte that it puts into a socket keeps a page of a file that is gone. Who copies
# by it takes read and write where there is none. Not mbind: with a file in memory the kernel keeps
# a policy for each page that it was told one of, there or not, which nobody counts. Not openat2,
# whose flags lie where a filter does not look.
ALLOWED = _words("""
    access faccessat faccessat2 chdir fchdir getcwd chmod fchmod fchmodat chown fchown fchownat
    lchown close copy_file_range creat dup dup2 dup3 fallocate
    fgetxattr flistxattr flock fstat fstatfs ftruncate futimesat getdents getdents64 getxattr
    lgetxattr link linkat listxattr llistxattr lseek lstat mkdir mkdirat mknod mknodat newfstatat
    pread64 preadv pwrite64 pwritev pwritev2 read readahead readlink
    readlinkat readv rename renameat renameat2 rmdir stat statfs statx symlink symlinkat
    truncate umask unlink unlinkat utime utimensat utimes
    write writev

    brk mlock mlock2 mlockall mprotect mremap munlock munlockall munmap
    get_mempolicy set_mempolicy membarrier pkey_alloc pkey_free pkey_mprotect

    execve execveat exit exit_group fork vfork getpgid getpgrp getpid getppid getpriority getsid
    gettid kill setpgid set_tid_address tgkill tkill wait4 waitid pidfd_open
    pidfd_send_signal arch_prctl capget get_thread_area set_robust_list get_robust_list rseq
    getcpu getrusage times getrlimit sysinfo uname sched_getaffinity sched_getattr
    sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
    sched_rr_get_interval sched_yield ioprio_get restart_syscall
    getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setresuid setresgid
    setreuid setregid setfsuid setfsgid setgroups

    alarm getitimer setitimer pause rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
    rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4
    clock_getres clock_gettime clock_nanosleep gettimeofday nanosleep time timerfd_create
    timerfd_gettime timerfd_settime

    eventfd eventfd2 futex futex_waitv pipe pipe2 poll ppoll pselect6 select

    accept accept4 bind connect getpeername getsockname listen recvfrom recvmmsg recvmsg
    sendmmsg sendmsg sendto shutdown

    getrandom
""")

# Other processes' memory and files; mounts and namespaces; the kernel's own programs, keys and
# logs; clocks; memory that is counted for no process, such as rules of Landlock and pages given to
# a pipe: one of 4 KiB keeps all of its huge page; queues and watches that runs would share; timers
# whose signal lets a process go on that has to stand still; sessions, among which Linux may divide
# the processors, whatever a run's priority; the writing of the machine's own disks; which pages of
# a file others have read.
REFUSED = _words("""
    ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp move_pages
    migrate_pages
    mount umount2 pivot_root chroot setns unshare open_tree move_mount fsopen fsconfig fsmount
    fspick mount_setattr quotactl quotactl_fd swapon swapoff name_to_handle_at open_by_handle_at
    bpf perf_event_open io_uring_setup io_uring_enter io_uring_register userfaultfd init_module
    finit_module delete_module kexec_load kexec_file_load reboot syslog acct add_key request_key
    keyctl lookup_dcookie seccomp capset modify_ldt ioperm iopl vhangup
    adjtimex clock_adjtime clock_settime settimeofday setdomainname sethostname
    memfd_create memfd_secret shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl
    semget semop semtimedop semctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify
    mq_getsetattr remap_file_pages vmsplice splice tee mincore
    landlock_create_ruleset landlock_add_rule landlock_restrict_self
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime syncfs setsid
    inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr personality
    io_setup io_submit io_getevents io_pgetevents io_cancel io_destroy
""")
