"""A set of operations as one loop nest: the Kernel, how graphs lower to it, and its text."""
