"""JAX's front end: a jaxpr, and a table of rules by primitive."""
