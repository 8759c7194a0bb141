"""Backends: scheduling, printing, building and compiling for one kind of machine."""
