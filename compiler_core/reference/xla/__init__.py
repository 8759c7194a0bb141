"""XLA: a program as it compiles it, and how it came to that."""
