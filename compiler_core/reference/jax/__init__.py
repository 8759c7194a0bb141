"""JAX: what it traces of a program, what its transformations make of that, and why it traces
again."""
