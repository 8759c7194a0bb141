"""What Dynamo writes of graph breaks, read and told in plain words: samples are as torch wrote
them, a folder a release."""

import json
from pathlib import Path

import pytest

from compiler_core.reference.dynamo.break_message import parse_message
from compiler_core.reference.dynamo.words import _WORDS, words_of

SAMPLES = Path(__file__).with_name("samples")
FILES = sorted(SAMPLES.glob("*/*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_a_break_is_told_in_plain_words(file: Path, golden) -> None:
    read = parse_message(file.read_text())
    words = words_of(read)
    lines = [read.title, read.leaves or "-", words.what, words.why, words.remedy]
    golden("".join(f"{line}\n" for line in lines), file.stem)


def test_a_text_of_another_form_is_its_first_line() -> None:
    read = parse_message("something else\nentirely")
    assert (read.title, read.hints, words_of(read).what) == ("something else", (), "something else")


def test_every_kind_that_has_words_is_one_of_dynamos() -> None:
    import torch

    registry = Path(torch.__file__).parent / "_dynamo" / "graph_break_registry.json"
    known = {entry["Gb_type"] for (entry, *_) in json.loads(registry.read_text()).values()}
    assert set(_WORDS) <= known
