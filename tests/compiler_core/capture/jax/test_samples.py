"""What JAX says where it cannot trace, in each version that there is a folder of:
`samples/errors.py`."""

import builtins
from pathlib import Path

import pytest

from compiler_core.capture.jax.errors import capture_error
from compiler_core.snippet.remedies import STATIC, remedy_of

SAMPLES = sorted((Path(__file__).parent / "samples").glob("jax-*/*.txt"))
WORDS = {
    "untraced": "argument 2 is of type Config, which JAX cannot trace",
    "untraced_by_name": "argument `config` is of type Config, which JAX cannot trace",
    "untraced_part": "a part of argument 1 is of type Config, which JAX cannot trace",
    "shape": "no value that Python could make a shape of",
    "slice": "no value that Python could cut a slice by",
}


def test_there_are_those_of_two_versions_at_least() -> None:
    assert len({path.parent for path in SAMPLES}) >= 2
    assert len(SAMPLES) == len(WORDS) * len({path.parent for path in SAMPLES})


def _raised(path: Path) -> Exception:
    kind, _, message = path.read_text().rstrip("\n").partition(": ")
    return getattr(builtins, kind)(message)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_it_has_its_reason_and_a_remedy(path: Path) -> None:
    error = capture_error(_raised(path))
    assert WORDS[path.stem] in error.sentence
    assert "static" in error.remedy


def test_what_is_said_otherwise_is_shown_as_it_is() -> None:
    assert "something new" in capture_error(TypeError("something new")).sentence


def test_a_snippet_that_ends_by_it_is_told_the_same_remedy() -> None:
    untraced = [path for path in SAMPLES if path.stem.startswith("untraced")]
    assert untraced and {remedy_of(_raised(path)) for path in untraced} == {STATIC}
