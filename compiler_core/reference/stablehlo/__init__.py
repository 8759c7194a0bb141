"""StableHLO, in which a program can be taken elsewhere."""
