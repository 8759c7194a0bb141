"""What a compiler prints may be otherwise in another version: a line that no parser knows, one that
is missing, a text that ends early, is empty, or has other words and numbers in its lines is never
an error, whichever parser reads it."""

import base64
import itertools
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from warnings import WarningMessage

import numpy as np
import pytest

from compiler_core.capture.torch.dynamo.breaks import explained
from compiler_core.reference import lanes
from compiler_core.reference.dynamo.break_message import parse_message
from compiler_core.reference.dynamo.conditions import conditions
from compiler_core.reference.dynamo.failed_guard import failed
from compiler_core.reference.dynamo.raised import raised
from compiler_core.reference.dynamo.words import words_of
from compiler_core.reference.export.refused import refused
from compiler_core.reference.inductor import ahead, figures, graph_skips, memory, output_code
from compiler_core.reference.inductor.values import Values
from compiler_core.reference.iree import dispatches, executables, mlir, phases
from compiler_core.reference.jax import arguments, jaxprs, residuals
from compiler_core.reference.refusal import refusal
from compiler_core.reference.sharding import texts
from compiler_core.reference.sharding.groups import groups_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.torchscript import frozen, graph_text
from compiler_core.reference.tvm import kernels, script
from compiler_core.reference.xla import (
    buffers,
    calls,
    edges,
    hlo,
    layouts,
    pass_runs,
    profile,
    shapes,
    stablehlo,
    thunks,
    timeline,
    units,
)
from compiler_core.reference.xla.dump import Dump
from compiler_core.reference.xla.kernels import by_module
from compiler_core.reference.xla.places import Places
from compiler_core.report import Artifact
from compiler_core.snippet.source import FILE
from compiler_core.snippet.tensorflow.places import names_of
from tests.compiler_core.reference import recordings
from tests.compiler_core.reference.separated import parts
from tests.compiler_core.reference.xla.samples import NODES
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.null

FOLDER = Path(__file__).parents[1]
UNKNOWN = "%@ a line of a version to come {([ = : -> loc( metadata={ 'tmp1 = "
# How many lines of a sample are left out, how many places it is cut at, and how many texts have
# other words in their lines.
PLACES, RANDOM = 6, 24
LINES = SourceLines(NODES)
NOTHING = Artifact("given", "given", "text", "")


def of_inductor(text: str) -> None:
    code = output_code.parsed(text)
    assert len(code.nodes({})) == len(code.names) == len(code.text.splitlines())
    memory.peak(memory.lifetimes(output_code.calls(text)))
    figures.of_texts([text], one_graph=True)
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
    [*calls.findings(places)]


def of_recording(text: str) -> None:
    """Of which XLA gives numbers as numbers: names alone may be others."""
    lines = (line.split("\t") for line in text.splitlines())
    known = [each for each in lines if len(each) > 3 and all(n.isdecimal() for n in each[:3])]
    recording = recordings.read("\n".join("\t".join(each) for each in known))
    # The calls themselves are marked by whoever records them.
    marked = sum(each[3] == "fuselab: call" for each in known)
    for call in profile.recorded(recording, range(marked)):
        pass_runs.stage(pass_runs.ran(call.spans), [])
        lanes.dispatched(call)
        timeline.events(call, [NOTHING])


def of_executable(text: str) -> None:
    """Of bytes as of letters: those that another text has not are left out."""
    letters = re.sub(r"[^A-Za-z0-9+/]", "", text)
    data = base64.b64decode(letters[: len(letters) // 4 * 4])
    thunks.stage(data, Places("jax", NODES).of(hlo.parse("")))


def of_buffers(assignment: str, live: str) -> None:
    placed = buffers.values(assignment, live)
    places = Places("jax", NODES).of(hlo.parse(""))
    buffers.stage(placed, assignment, live, places)
    [*buffers.plan(placed, places)]


def of_partition(text: str) -> None:
    of_module(text)
    dump = Dump(None, {"0000.spmd-partitioner.after_spmd-partitioning.txt": text.encode()})
    texts.partitioning(dump)


def of_propagation(text: str) -> None:
    files = {f"00.{side}_propagation.mlir": text.encode() for side in ("before", "after")}
    texts.propagation(Dump(None, files))
    texts.annotations(text)


def of_files(text: str) -> None:
    Dump(None, dict.fromkeys(text.splitlines(), b"")).snapshots()


def of_break(text: str) -> None:
    words_of(parse_message(text))
    assert explained(text).why
    refused(type("Unsupported", (Exception,), {})(text))


def of_guards(text: str) -> None:
    for line in text.splitlines():
        kind, _, part = line.partition("\t")
        list(conditions(kind, part, of_guards.__code__))
        failed(part, {}, {})


def of_failed(text: str) -> None:
    for reason in parts(text):
        failed(reason, {"n": 4}, {"SCALE": 5})


def of_raised(text: str) -> None:
    for name in ("ConstraintViolationError", "FailOnRecompileLimitHit"):
        for each in parts(text):
            assert raised(type(name, (Exception,), {})(each), LINES).what


def of_skips(text: str) -> None:
    for each in parts(text):
        graph_skips.in_words(each)


def of_refusals(text: str) -> None:
    for each in parts(text):
        assert refused(ValueError(each)).remedy


def of_warnings(text: str) -> None:
    class TracerWarning(Warning):
        pass

    said = (WarningMessage(each, TracerWarning, FILE, 1) for each in parts(text))
    assert all(each.what for each in frozen.of_warnings(said))


def of_residuals(text: str) -> None:
    class Kept:
        shape, dtype = (2,), np.dtype("float32")

        def str_short(self, short_dtypes: bool) -> str:
            return "f32[2]"

    kept = [(Kept(), line) for line in text.splitlines()]
    assert len(residuals.table(kept, LINES).rows) == len(kept)
    residuals.summary(kept)


def of_dispatches(text: str) -> None:
    dispatches.regions(mlir.read(text), mlir.read(text))
    [*executables.stages({"f_dispatch_0.mlir": text, "f.s": text, "f.codegen.ll": text}, {})]


def of_refused(compiler: str) -> Callable[[str], object]:
    return lambda text: [refusal(compiler, each) for each in parts(text)]


def of_tvm(text: str) -> None:
    kernels.kernels(text, text, text, {})
    assert len([*script.functions(text)]) == len(text.splitlines())


# Which samples, in every version, are read by what.
PARSERS: dict[str, Callable[[str], object]] = {
    "inductor/samples/*/*.txt": of_inductor,
    "dynamo/samples/*/*.txt": of_break,
    "dynamo/samples/*/guards/*.txt": of_guards,
    "xla/samples/*/*optimizations.txt": of_module,
    "dynamo/samples/*/failed/*.txt": of_failed,
    "dynamo/samples/*/raised/*.txt": of_raised,
    "inductor/samples/*/cudagraphs/*.txt": of_skips,
    "xla/samples/*/objdump.txt": by_module,
    "xla/samples/*/*.tsv": of_recording,
    "xla/samples/*/executable.txt": of_executable,
    "export/samples/*/*.txt": of_refusals,
    "torchscript/samples/*/script.txt": lambda text: graph_text.artifact(text, LINES, columns=True),
    "torchscript/samples/*/trace.txt": lambda text: graph_text.artifact(text, LINES, columns=False),
    "torchscript/samples/*/warnings.txt": of_warnings,
    "jax/samples/*/jaxpr.txt": lambda text: jaxprs.mapped("jaxpr", text, LINES),
    "jax/samples/*/residuals.txt": of_residuals,
    "jax/samples/*/donated.mlir": arguments.written_over,
    "sharding/samples/*/optimizations.txt": of_partition,
    "sharding/samples/*/stablehlo.mlir": lambda text: stablehlo.shown(text, Places("jax", NODES)),
    "sharding/samples/*/after_propagation.mlir": of_propagation,
    "sharding/samples/*/files.txt": of_files,
    # jaxlib 0.9 writes there when values are alive as well.
    "xla/samples/*/*assignment.txt": lambda text: of_buffers(text, text),
    "xla/samples/*/*live-range.txt": lambda text: of_buffers("", text),
    "xla/samples/*/stablehlo.mlir": lambda text: stablehlo.shown(text, Places("jax", NODES)),
    "iree/samples/*/*.mlir": of_dispatches,
    "iree/samples/*/timing.txt": lambda text: [*phases.stages({}, NOTHING, text)],
    "iree/refused/*.txt": of_refused("iree"),
    "tvm/refused/*.txt": of_refused("tvm"),
    "tvm/samples/*/*.txt": of_tvm,
    "tensorflow/samples/*/stablehlo.txt": names_of,
}
SAMPLES = [
    pytest.param(file, parser, id="-".join((pattern.partition("/")[0], *file.parts[-2:])))
    for pattern, parser in PARSERS.items()
    for file in sorted(FOLDER.glob(f"*/{pattern}"))
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
    chance = random.Random(text)
    yield from (mixed(lines, chance) for _ in range(RANDOM))


_WORDS = re.compile(r"\w+|\W")


def mixed(lines: list[str], chance: random.Random) -> str:
    """The lines with words, numbers and signs of some in the places of others', more of some and
    less of others."""
    changed = [*lines]
    for _ in range(chance.randint(1, 8)):
        at, other = chance.randrange(len(changed)), _WORDS.findall(chance.choice(lines))
        words = _WORDS.findall(changed[at])
        first, last = sorted(chance.choices(range(len(words) + 1), k=2))
        begin, end = sorted(chance.choices(range(len(other) + 1), k=2))
        words[first : min(last, first + 3)] = other[begin : min(end, begin + 3)]
        changed[at] = "".join(words)
    return "\n".join(changed)


@pytest.mark.parametrize(("file", "parser"), SAMPLES)
@pytest.mark.parametrize("each", thinned((4, 1), kept=(4,)))
def test_another_text_is_never_an_error(
    file: Path, parser: Callable[[str], object], each: int
) -> None:
    """Of the changed texts every fourth, or all."""
    text = file.read_text()
    parser(text)
    for changed in itertools.islice(otherwise(text), 0, None, each):
        parser(changed)


def test_every_folder_of_samples_is_read_so() -> None:
    read = {pattern.partition("/")[0] for pattern in PARSERS}
    assert read == {path.parent.name for path in FOLDER.glob("*/*/samples")}


def test_what_takes_code_apart_prints_anything() -> None:
    assert by_module(UNKNOWN) == {}


NEARLY: list[tuple[Callable[[str], object], str]] = [
    (of_guards, "GLOBAL_STATE\t___check_global_state() against {no JSON}"),
    (of_guards, 'GLOBAL_STATE\t___check_global_state() against {"autocast_state": [1]}'),
    (of_inductor, "def call(args):\n    buf0 = empty_strided_cpu((4, ), (1, ), torch.f2)\n"),
    (of_inductor, "def call(args):\n    buf0 = empty_strided_cpu((4, ), (1, ), torch.nn)\n"),
    (groups_of, "replica_groups=[3,2]<=[8]"),
    (groups_of, "replica_groups=[4,2]<=[8]T(1,0)"),
    (groups_of, "replica_groups=[9999999,9999999]<=[9999999,9999999]"),
    (groups_of, "replica_groups=mesh['a'=4], device_ids=([8]) {'a'}"),
    (shapes.bytes_of, "f32[2<3,=]"),
    (lambda text: of_buffers("", text), "  Live ranges at 3 (peak):\n"
     "  Stack trace breakdown for peak usage:   bytes"),
    (of_dispatches, "a.b loc(#loc1)\n#loc1 = loc(fused[#loc2])\n#loc2 = loc(fused[#loc1])"),
    (names_of, "a.b loc(#loc1)\n#loc1 = loc(fused[#loc2])\n#loc2 = loc(fused[#loc1])"),
]  # fmt: skip


@pytest.mark.parametrize(("parser", "text"), NEARLY)
def test_what_is_nearly_of_a_known_form_is_never_an_error(parser, text) -> None:
    parser(text)
