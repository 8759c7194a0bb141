"""The loop-level Kernel, how a set of operations lowers to one, and its text."""
