"""TVM, in an environment of its own: `prepare.py` for timing, `look.py` for its stages."""
