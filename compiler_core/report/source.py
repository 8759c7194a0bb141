"""The language of a snippet's text."""

import re

# A text of MLIR begins with one of these, after comments and aliases of attributes.
_HEAD = re.compile(
    r"\s*(?:(?://|#)[^\n]*\n\s*)*(?:module\b[^\n=(]*[{@]|func\.func\b|\"builtin\.module\")"
)


def is_module(text: str) -> bool:
    """Whether a snippet is a module of MLIR, as StableHLO is; else it is Python."""
    return _HEAD.match(text) is not None
