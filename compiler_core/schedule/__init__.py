"""Strategies for running a kernel on a CPU and on a GPU, and what a cost model says of them."""
