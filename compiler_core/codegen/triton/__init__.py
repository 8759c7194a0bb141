"""Kernels as Triton, and what Triton compiles to."""
