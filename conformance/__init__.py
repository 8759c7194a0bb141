"""Conformance: programs of both frameworks' own test databases, and random ones, through the whole
pipeline and against the framework's own result. `python -m conformance` runs it."""
