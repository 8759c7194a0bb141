"""Kernels as C with OpenMP."""
