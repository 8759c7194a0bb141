"""Runs snippets, which are taken to be hostile, isolated from the machine and from each other.

The modules of this package are the trusted side; those of `inside` run in the sandbox. They share
`protocol` and `limits`, and nothing else.
"""
