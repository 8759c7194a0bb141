"""Schedules of kernels and templates on a CPU, and the model of what they cost."""
