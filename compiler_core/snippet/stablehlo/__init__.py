"""Snippets that are a StableHLO module instead of Python: each function becomes a program of
jax.lax calls, each of which is made from its own line of the text."""
