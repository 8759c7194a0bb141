"""Plans as callables: generated sources compiled, loaded and bound to memory."""
