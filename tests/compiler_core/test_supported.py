"""The versions that the compiler is written for."""

from pathlib import Path

import pytest

from compiler_core.environments import FRAMEWORKS
from compiler_core.supported import RANGES, numbers, out_of_range
from compiler_core.toolchain import toolchain

ROOT = Path(__file__).parents[2]


def pins_of(file: Path) -> dict[str, str]:
    lines = file.read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


# Those of other versions of the frameworks; others are further compilers.
PINNED = [
    file
    for file in sorted((ROOT / "toolchains").glob("*.txt"))
    if not pins_of(file).keys().isdisjoint(FRAMEWORKS)
]


def test_this_environment_is_in_range() -> None:
    assert out_of_range(toolchain()) == []


@pytest.mark.parametrize("file", PINNED, ids=lambda file: file.stem)
def test_every_toolchain_pins_what_is_in_range(file: Path) -> None:
    pins = pins_of(file)
    assert pins and pins.keys() <= RANGES.keys()
    assert out_of_range(pins) == []


def test_another_version_gets_one_sentence_with_the_range() -> None:
    (said,) = out_of_range({"torch": "2.9.0+cpu", "jax": "0.10.2", "triton": "not installed"})
    assert said.startswith(
        "torch 2.9.0+cpu is outside of what Fuselab is written for, 2.11 to 2.13"
    )
    assert len(out_of_range({"jax": "0.9.1", "jaxlib": "0.12.0"})) == 2


def test_versions_are_compared_as_numbers() -> None:
    assert numbers("2.13.0a0+git1") == (2, 13)
    assert "2.9" not in RANGES["torch"] and "2.13.1" in RANGES["torch"]


def test_the_document_names_every_toolchain_that_was_run() -> None:
    text = (ROOT / "docs/how-to/use-another-toolchain.md").read_text()
    for file in PINNED:
        jax = pins_of(file).get("jax")
        assert jax is None or f"JAX {jax}" in text
