"""Compilers that live in environments of their own, as other processes: found, started, asked."""
