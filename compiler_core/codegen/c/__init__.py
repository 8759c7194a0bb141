"""Printing plans as C with OpenMP."""
