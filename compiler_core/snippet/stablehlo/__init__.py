"""A snippet that is no Python but a module of StableHLO: its function becomes a program of jax.lax
calls, each made from its own line of the text."""
