"""Printing kernels as Triton, and compiling Triton offline."""
