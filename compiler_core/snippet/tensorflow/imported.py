"""Whether a snippet is TensorFlow's."""

import ast

from compiler_core.snippet.source import Source

_PACKAGES = frozenset(("tensorflow", "keras"))


def imports_tensorflow(source: Source) -> bool:
    """Whether the snippet imports TensorFlow anywhere."""
    for node in ast.walk(source.tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] in _PACKAGES for name in names):
            return True
    return False
