"""Snippets are hostile until proven otherwise: here they are run, and kept from everything.

The modules of this package are the trusted side; those of `inside` run in the sandbox. They share
`protocol` and `limits`, and nothing else.
"""
