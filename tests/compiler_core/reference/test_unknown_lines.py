"""What a compiler prints may be otherwise in another version: a line that no parser knows, one that
is missing, a text that ends early or is empty is never an error, whichever parser reads it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from compiler_core.reference.dynamo.break_message import parse_message
from compiler_core.reference.dynamo.conditions import condition
from compiler_core.reference.dynamo.failed_guard import failed
from compiler_core.reference.dynamo.words import words_of
from compiler_core.reference.inductor import ahead, memory, output_code
from compiler_core.reference.inductor.values import Values
from compiler_core.reference.iree import dispatches, mlir
from compiler_core.reference.sharding.groups import groups_of
from compiler_core.reference.tvm import kernels, script
from compiler_core.reference.xla import buffers, edges, hlo, layouts, stablehlo, units
from compiler_core.reference.xla.kernels import by_module
from compiler_core.reference.xla.places import Places
from tests.compiler_core.reference.xla.samples import NODES

pytestmark = pytest.mark.null

FOLDER = Path(__file__).parent
UNKNOWN = "%@ a line of a version to come {([ = : -> loc( metadata={ 'tmp1 = "
# How many lines of a sample are left out, and how many places it is cut at.
PLACES = 12


def of_inductor(text: str) -> None:
    code = output_code.parsed(text)
    assert len(code.nodes({})) == len(code.names) == len(code.text.splitlines())
    memory.peak(memory.lifetimes(output_code.calls(text)))
    assert len([*Values().of(text.splitlines())]) == len(ahead.names_of(text))


def of_module(text: str) -> None:
    places = Places("jax", NODES).of(hlo.parse(text))
    leaves = units.leaves(places)
    for unit in units.units(places.module):
        units.described(unit, places.module)
        groups_of(unit.rest)
    assert all(d.reason for d in edges.decisions(leaves, places))
    copied = layouts.copies(leaves)
    assert len(layouts.stage(copied, places).tables[0].rows) == len(copied)
    [*layouts.findings(copied, places)]


def of_guards(text: str) -> None:
    for line in text.splitlines():
        kind, _, part = line.partition("\t")
        condition(kind, part)
        failed(part, {}, {})


def of_dispatches(text: str) -> None:
    dispatches.regions(mlir.read(text), mlir.read(text))


def of_tvm(text: str) -> None:
    kernels.kernels(text, text, text, {})
    assert len([*script.functions(text)]) == len(text.splitlines())


# Which samples, in every version, are read by what.
PARSERS: dict[str, Callable[[str], object]] = {
    "inductor/samples/*/*.txt": of_inductor,
    "dynamo/samples/*/*.txt": lambda text: words_of(parse_message(text)),
    "dynamo/samples/*/guards/*.txt": of_guards,
    "xla/samples/*/*optimizations.txt": of_module,
    "xla/samples/*/*assignment.txt": lambda text: buffers.values(text, ""),
    "xla/samples/*/*live-range.txt": lambda text: buffers.values("", text),
    "xla/samples/*/stablehlo.mlir": lambda text: stablehlo.shown(text, Places("jax", NODES)),
    "iree/samples/*/*.mlir": of_dispatches,
    "tvm/samples/*/*.txt": of_tvm,
}
SAMPLES = [
    pytest.param(file, parser, id="-".join(file.relative_to(FOLDER).parts[:1] + file.parts[-2:]))
    for pattern, parser in PARSERS.items()
    for file in sorted(FOLDER.glob(pattern))
]


def otherwise(text: str) -> Iterator[str]:
    """The text as another version might print it."""
    lines = text.splitlines()
    step = max(1, len(lines) // PLACES)
    yield from ("", UNKNOWN, text[: len(text) // 2])
    for at in range(0, len(lines), step):
        yield "\n".join([*lines[:at], UNKNOWN, *lines[at:]])
        yield "\n".join([*lines[:at], *lines[at + 1 :]])
        yield "\n".join(lines[:at])


@pytest.mark.parametrize(("file", "parser"), SAMPLES)
def test_another_text_is_never_an_error(file: Path, parser: Callable[[str], object]) -> None:
    text = file.read_text()
    parser(text)
    for changed in otherwise(text):
        parser(changed)


def test_every_folder_of_samples_is_read_so() -> None:
    read = {file.values[0].relative_to(FOLDER).parts[0] for file in SAMPLES}
    assert read == {path.parent.name for path in FOLDER.glob("*/samples")}


def test_what_takes_code_apart_prints_anything() -> None:
    assert by_module(UNKNOWN) == {}
