"""Whatever a user can cause is raised with a remedy, at every place where it is raised."""

import ast
from collections.abc import Iterator
from pathlib import Path

import compiler_core

ROOT = Path(compiler_core.__file__).parent
OF_A_USER = {
    "SnippetError", "NoProgramFound", "CaptureError", "ProgramRaises", "Unsupported", "NoDevice",
    "NoToolchain",
}  # fmt: skip


def raised(path: Path) -> Iterator[tuple[str, bool]]:
    """Where an error of a user's is made, and whether with a remedy."""
    text = path.read_text()
    # Most make none, and to parse them takes longer than all else.
    for node in ast.walk(ast.parse(text)) if any(name in text for name in OF_A_USER) else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in OF_A_USER:
            place = f"{path.relative_to(ROOT)}:{node.lineno}"
            yield place, any(k.arg == "remedy" for k in node.keywords)


def test_every_error_of_a_user_has_a_remedy():
    found = dict(each for path in ROOT.rglob("*.py") for each in raised(path))
    assert len(found) > 50
    assert [place for place, has in found.items() if not has] == []
