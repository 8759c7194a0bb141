"""Runs snippets isolated from the machine and from each other: every snippet is assumed to be
hostile.

The modules of this package are trusted; those of `inside` run in the sandbox. They share
`protocol`, `bounds` and `limits` only.
"""
