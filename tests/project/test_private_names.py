"""What is private in a framework is used in small files that say so, and is there in the installed
version: with another one, what fails here names what it has not got."""

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOM = ROOT / "compiler_core"

# Files that are about one private part of a framework each, beside those called `private`.
ABOUT = {
    "capture/jax/written.py": "what JAX writes some primitives in",
    "capture/torch/dynamo/aot.py": "AOTAutograd, and autograd as it runs",
    "capture/torch/dynamo/dividing.py": "torch's partitioner",
    "capture/torch/dynamo/own_data.py": "what TorchDynamo makes of assignments to `data`",
    "capture/torch/leaving.py": "patches by which a trace hears that a program leaves the graph",
    "codegen/triton/interpreted/device_library.py": "Triton's interpreter, mended",
    "codegen/triton/interpreted/quickly.py": "Triton's interpreter, made quicker",
    "codegen/triton/interpreted/source.py": "functions in Triton's interpreter, read once",
    "codegen/triton/interpreted/types.py": "types in Triton's interpreter, found out once",
    "reference/inductor/ahead.py": "TorchInductor ahead of time",
    "reference/inductor/arguments.py": "TorchInductor's configuration",
    "reference/inductor/gpu_stand_in.py": "a GPU that is not there",
    "reference/inductor/hooks.py": "what TorchInductor does, heard",
    "reference/inductor/on_gpu.py": "TorchInductor for a GPU that is not there",
    "reference/inductor/prepare.py": "TorchInductor as it is timed",
    "reference/inductor/process.py": "TorchInductor in a process",
    "reference/inductor/recording.py": "TorchInductor as it is looked into",
    "reference/inductor/text_hooks.py": "the text that TorchInductor writes",
    "reference/inductor/value_hooks.py": "what TorchInductor writes each value for",
    "reference/ladder/backends.py": "torch.compile's back ends by name",
    "measure/torch_profile.py": "what torch's profiler has recorded",
    "snippet/modes.py": "modes that hold for a thread",
    "snippet/tools.py": "functions by which a snippet asks a framework about a program",
}
# Where versions have the one or the other, of which one has to be there.
EITHER = (("jaxlib._hlo:hlo_module_from_text", "jaxlib:xla_client"),)

_FRAMEWORK = re.compile(r"\b(torch|jax|jaxlib|triton)\b")
_DOTTED = re.compile(r"(torch|jax|jaxlib|triton)(\.\w+)+")
_INSIDE = ("jax.interpreters", "jaxlib", "triton.backends", "triton.compiler", "triton.runtime")
# Names of operators are ATen's.
_OPERATORS = ("torch.ops.",)


def is_private(name: str) -> bool:
    """Whether a framework's dotted name has a part that it does not promise."""
    parts = name.replace(":", ".").split(".")
    if not _DOTTED.fullmatch(".".join(parts)) or name.startswith(_OPERATORS):
        return False
    hidden = any(part.startswith("_") and not part.startswith("__") for part in parts)
    return hidden or name.startswith(_INSIDE)


def names_in(text: str) -> set[str]:
    """The private names that a Python text imports, reads, or has as texts of their own: of a
    module `a.b` and what is in it as `a.b:c`."""
    found: set[str] = set()
    # Half of the files speak of no framework, and to parse them takes longer than all else.
    if not _FRAMEWORK.search(text):
        return found
    parts_of_longer: set[ast.AST] = set()
    for node in ast.walk(ast.parse(text)):
        found.update(_imported(node))
        if isinstance(node, ast.Attribute) and node not in parts_of_longer:
            found.add(_dotted(node, parts_of_longer))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return {name for name in found if is_private(name)}


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and not node.level:
        yield from (f"{node.module}:{each.name}" for each in node.names)
    elif isinstance(node, ast.Import):
        yield from (each.name for each in node.names)


def _dotted(node: ast.expr, parts: set[ast.AST]) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
        parts.add(node)
    return ".".join([node.id if isinstance(node, ast.Name) else "", *reversed(names)])


@cache
def used() -> dict[str, list[str]]:
    """The private names in each file that has any. Not read while tests are collected, which each
    process does: 800 files are parsed."""
    return {
        file.relative_to(ROOM).as_posix(): sorted(names)
        for file in sorted(ROOM.rglob("*.py"))
        if (names := names_in(file.read_text()))
    }


def is_there(name: str) -> bool:
    """Whether the installed version has it. A module's own name stands before the colon, or is as
    long as it can be imported."""
    module, _, rest = name.partition(":")
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        path = [*parts[end:], *filter(None, rest.split("."))]
        return _reached(found, path)
    return False


def _reached(found: object, path: list[str]) -> bool:
    for at, part in enumerate(path):
        if not hasattr(found, part):
            return at == len(path) - 1 and _is_module(found, part)
        found = getattr(found, part)
    return True


def _is_module(found: object, part: str) -> bool:
    try:
        importlib.import_module(f"{getattr(found, '__name__', '')}.{part}")
    except ImportError:
        return False
    return True


def missing(names: Iterable[str]) -> set[str]:
    """What the installed version has not got."""
    found = {name for name in names if not is_there(name)}
    for either in EITHER:
        if not found.issuperset(either):
            found.difference_update(either)
    return found


def test_it_is_there() -> None:
    assert {file: gone for file, names in used().items() if (gone := missing(names))} == {}


def test_what_jax_offers_to_those_who_extend_it_is_there() -> None:
    """Its names are promised by no version to the next."""
    texts = [file.read_text() for file in ROOM.rglob("*.py")]
    taken = [text for text in texts if "\nfrom jax.extend import core\n" in text]
    names = {name for text in taken for name in re.findall(r"(?<![\w.])core\.(\w+)", text)}
    assert {"ClosedJaxpr", "Literal"} <= names
    assert missing(f"jax.extend.core:{name}" for name in names) == set()


def test_it_is_used_in_files_about_it() -> None:
    elsewhere = {f: names for f, names in used().items() if Path(f).name != "private.py"}
    strays = {f: names for f, names in elsewhere.items() if f not in ABOUT}
    assert not strays, "take them from compiler_core/interop/private.py or a room's own private.py"
    assert set(ABOUT) <= set(elsewhere), "a file that uses nothing private any more"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from torch._a.b import c, d", {"torch._a.b:c", "torch._a.b:d"}),
        ("from torch.utils import _pytree as p", {"torch.utils:_pytree"}),
        ("import jax._src.core, torch.nn", {"jax._src.core"}),
        ("x = torch._C._f(torch.relu(1))", {"torch._C._f"}),
        ("log('torch._guards'); say('see torch._guards')", {"torch._guards"}),
        ("torch.ops.aten._softmax; self._a; torch.__version__", set()),
        ("from jaxlib import mlir", {"jaxlib:mlir"}),
    ],
)
def test_a_private_name_is_known_by_its_parts(text: str, names: set[str]) -> None:
    assert names_in(text) == names


def test_a_name_that_is_not_there_is_not() -> None:
    assert is_there("torch._C._current_graph_task_id") and is_there("torch.utils:_pytree")
    assert not is_there("torch._C._no_such_name")
    assert not is_there("torch._no_such.module:name")
