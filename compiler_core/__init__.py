"""The compiler core: a pure library that captures, fuses and compiles PyTorch and JAX programs."""
