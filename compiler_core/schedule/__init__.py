"""From a fusion group to a loop-level Kernel, its schedule, and the program's memory plan."""
