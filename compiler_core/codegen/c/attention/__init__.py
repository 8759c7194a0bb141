"""Attention as C functions."""
