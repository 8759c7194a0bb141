"""StableHLO, the form in which a program can be given to other compilers."""
