"""Compilers that are installed in environments of their own and run as other processes."""
