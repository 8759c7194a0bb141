"""What the README promises is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
ROOMS = ("webapp", "worker", "launcher", "compiler_core")
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def variables() -> set[str]:
    """The environment's variables that the code speaks of."""
    texts = (file.read_text() for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    found = set[str]().union(*(re.findall(r"\bFUSELAB_[A-Z_]+\b", text) for text in texts))
    return found | {"DATABASE_URL", "REDIS_URL"}


def test_every_variable_is_in_the_table() -> None:
    table = set(re.findall(r"^\| `([A-Z_]+)` \|", README, flags=re.MULTILINE))
    assert table == variables()


def test_every_verb_that_is_named_exists() -> None:
    verbs = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = {verb for text in DOCUMENTS for verb in re.findall(r"`make ([a-z]+)", text.read_text())}
    assert named <= verbs


def test_there_are_at_most_twelve_verbs() -> None:
    verbs = re.findall(r"^[a-z]+:.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert 0 < len(verbs) <= 12


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), target
