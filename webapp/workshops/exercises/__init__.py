"""Exercises of a workshop: what is to be reached, and whether a run has reached it, by what its
report says."""
