"""JAX's front door: a jaxpr, and a table of rules by primitive."""
