"""Launches in order over named buffers, and their places in memory."""
