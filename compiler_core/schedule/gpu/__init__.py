"""Schedules of kernels and templates on a GPU, and the model of what they cost."""
