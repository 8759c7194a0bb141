"""Remedies of the why-list, tried: the changed snippet is compiled, compared and measured."""
