"""What a process apart may take."""

MEMORY_BYTES = 2**30
# What it may return, all of which its web process then holds.
RETURNED_BYTES = 2**26
CPU_S, WALL_S = 10, 20
# At a time, and how long somebody waits for one of them.
PROCESSES, WAIT_S = 2, 10
NICENESS = 5
