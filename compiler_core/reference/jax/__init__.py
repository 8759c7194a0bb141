"""JAX: how it traces a program, what its transformations turn it into, and why it traces again."""
