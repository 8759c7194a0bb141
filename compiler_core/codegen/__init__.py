"""Kernels to text: Triton and C, each line with the captured operations it comes from."""
