"""What TVM and IREE said of programs that they refused, in plain words."""

from pathlib import Path

import pytest

from compiler_core.reference.refusal import refusal
from tests.compiler_core.reference.separated import parts

HERE = Path(__file__).parent
SAMPLES = sorted(HERE.glob("*/refused/*.txt"))
pytestmark = pytest.mark.null


def compiler_of(file: Path) -> str:
    return file.relative_to(HERE).parts[0]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda f: f"{f.relative_to(HERE).parts[0]}-{f.stem}")
def test_a_refusal_is_told_in_plain_words_with_a_remedy(file: Path, golden) -> None:
    texts = parts(file.read_text())
    found = [refusal(compiler_of(file), text) for text in texts]
    assert texts and None not in found
    golden("".join(f"{each.why}\n  {each.remedy}\n" for each in found if each))


def test_what_nobody_knows_has_no_words() -> None:
    assert refusal("tvm", "something else") is None
    assert refusal("xla", "Unsupported function types ['a']") is None
