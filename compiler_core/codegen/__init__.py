"""Printing kernels as Triton and as C; each line knows the captured operations that it comes
from."""
