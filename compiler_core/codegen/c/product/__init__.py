"""Matrix products as C functions."""
