"""Stores what the installed versions print, as samples for the parsers' tests:

    .toolchains/jax-0.9/bin/python -m tests.compiler_core.reference.store_samples jax

Each snippet is looked into as in a run; what the parsers are given on the way goes below their
folders, into one of the version's name. With no names, all groups are stored.
"""

import base64
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import jaxlib
import torch

from compiler_core import report
from compiler_core.environments import installed
from compiler_core.pipeline import insides
from compiler_core.reference.dynamo import breaks, guards, replay
from compiler_core.reference.dynamo import look as dynamo_look
from compiler_core.reference.export import look as export_look
from compiler_core.reference.inductor import output_code, stages
from compiler_core.reference.jax import arguments, jaxprs, residuals
from compiler_core.reference.sharding import texts as sharding_texts
from compiler_core.reference.torchscript import frozen, graph_text
from compiler_core.reference.tvm import look as tvm_look
from compiler_core.reference.xla import kernels, private, profile, stablehlo
from compiler_core.reference.xla.dump import compile_with_dump
from compiler_core.snippet.source import FILE
from compiler_core.snippet.tensorflow import programs
from tests.compiler_core import on_a_mesh
from tests.compiler_core.reference import recordings
from tests.compiler_core.reference.looking import looked
from tests.compiler_core.reference.separated import joined

FOLDER = Path(__file__).parent
# TorchInductor's folder, of which a look has one for itself.
_CACHE = re.compile(r"/\S+/(?=\w{2}/c\w{50,}\.py)")
_SESSION = re.compile(r"/\S*fuselab-extra-\w+/")
_MOST_LINES = 3
_PATHS = re.compile(rb"(?:/[\w.-]+){2,}")
SNIPPETS = FOLDER / "sampled"
# Those of one break each: the first break of the snippet is the sample's.
BREAKS = ("item", "data_dependent", "print_in_loop", "zero_grad")


def dynamo(version: str) -> None:
    folder = FOLDER / "dynamo/samples" / version
    for name in BREAKS:
        with heard(breaks, "parse_message") as read:
            look("dynamo", name)
        write(folder / f"{name}.txt", read[-1][0])
    with heard(guards, "conditions_of") as read:
        look("dynamo", "guards")
    lines = dict.fromkeys(f"{kind}\t{part}" for kind, part, *_ in read)
    write(folder / "guards/module.txt", "\n".join(lines))
    with heard(replay, "failed") as read:
        look("dynamo", "recompiled")
    write(folder / "failed/guards.txt", joined(each[0] for each in read))
    with heard(dynamo_look, "raised") as read:
        look("dynamo", "marked")
    write(folder / "raised/marked.txt", joined(map(_named, (error for error, *_ in read))))


def inductor(version: str) -> None:
    with heard(output_code, "parsed") as read:
        look("inductor", "fused")
    folder = FOLDER / "inductor/samples" / version.removeprefix("torch-")
    cuda = next(text for (text,) in read if "async_compile.triton" in text)
    write(folder / "cpu.txt", next(text for (text,) in read if "cpp_pybinding" in text))
    write(folder / "cuda.txt", cuda)
    with heard(stages, "in_words") as read:
        look("inductor", "skipped")
    write(folder / "cudagraphs/skipped.txt", joined(text for (text,) in read))


def export(version: str) -> None:
    for name in ("data_dependent", "constrained"):
        with heard(export_look, "refused") as read:
            look("export", name)
        errors = joined(_named(error) for (error,) in read)
        write(FOLDER / "export/samples" / version / f"{name}.txt", errors)


def _named(error: Exception) -> str:
    """An error with its type in the first line."""
    return f"{type(error).__name__}\n{error}"


def torchscript(version: str) -> None:
    with heard(graph_text, "artifact") as graphs, heard(frozen, "of_warnings") as warned:
        look("torchscript", "traced")
    folder = FOLDER / "torchscript/samples" / version
    for name, (text, *_) in zip(("script", "trace"), graphs, strict=True):
        write(folder / f"{name}.txt", text)
    write(folder / "warnings.txt", joined(str(w.message) for (each,) in warned for w in each))


def of_jax(version: str) -> None:
    folder = FOLDER / "jax/samples" / version
    with (
        heard(jaxprs, "mapped") as printed, heard(residuals, "table") as kept,
        heard(arguments, "written_over") as lowered,
    ):  # fmt: skip
        look("jax", "gradient")
    write(folder / "jaxpr.txt", max((text for _, text, _ in printed), key=len))
    write(folder / "residuals.txt", "\n".join(origin for _, origin in kept[0][0]))
    write(folder / "donated.mlir", lowered[0][0])


def xla(version: str) -> None:
    """Of the function alone, whose parameters then have their own names."""
    space: dict[str, Any] = {}
    exec(compile((SNIPPETS / "two_products.txt").read_text(), FILE, "exec"), space)
    given = jnp.ones((32, 16)), jnp.ones(16)
    lowered = jax.jit(space["f"]).lower(*given)
    dump, folder = compile_with_dump(lowered), FOLDER / "xla/samples" / version
    for end in ("", "-buffer-assignment", "-live-range"):
        name = f"cpu_after_optimizations{end}.txt"
        write(folder / name, dump.ending(name))
    write(folder / "stablehlo.mlir", lowered.as_text(debug_info=True))
    with heard(kernels, "by_module") as read:
        kernels.disassembled(dump.files)
    write(folder / "objdump.txt", read[0][0])
    recordings_of(lowered, space["f"], given, folder)
    # Of a name as many other letters: a message has its parts' lengths in it.
    executable = _PATHS.sub(lambda m: b"/" * len(m[0]), private.serialized(dump.compiled))
    write(folder / "executable.txt", base64.encodebytes(executable).decode())


def recordings_of(lowered: Any, function: Any, given: Any, folder: Path) -> None:
    """Of compiling, of a call of what was compiled, and of one that goes op by op."""
    compiled = compile_with_dump(lowered).compiled

    def call(run: Callable[..., Any]) -> None:
        profile.profile([lambda: jax.block_until_ready(run(*given))])

    acts: dict[str, Callable[[], Any]] = {
        "compiling": lambda: compile_with_dump(lowered),
        "running": lambda: call(compiled),
        "op_by_op": lambda: call(function),
    }
    for name, act in acts.items():
        act()  # what is made but once is none of it
        with heard(profile, "recorded") as read:
            act()
        write(folder / f"{name}.tsv", recordings.written(read[0][0]))


def sharding(version: str) -> None:
    folder = FOLDER / "sharding/samples" / version
    with heard(sharding_texts, "propagation") as dumps, heard(stablehlo, "shown") as given:
        look("sharding", "divided")
    dump = dumps[0][0]
    write(folder / "stablehlo.mlir", given[0][0])
    write(folder / "after_propagation.mlir", dump.ending("after_propagation.mlir"))
    write(folder / "optimizations.txt", dump.final)
    write(folder / "files.txt", "\n".join(sorted(dump.files)))


# Of TVM's passes: those that fusion is read of, one that changes nothing, and a last one.
_IDLE = "FoldConstant"
_PASSES = ("LegalizeOps", "AnnotateTIROpPattern", _IDLE, "FuseOps", "tirx.FlattenBuffer")


def tvm(version: str) -> None:
    folder = FOLDER / "tvm/samples" / version
    with heard(tvm_look, "_stages") as read:
        look("tvm", "fused_twice")
    ((_, files),) = read
    facts = json.loads(files["facts.json"])
    told = [p for p in facts["passes"] if p["file"] or p["name"] == _IDLE]
    firsts = {p["name"]: p for p in reversed(told)}
    kept = [firsts[name] for name in _PASSES if name in firsts]
    write(folder / "facts.json", json.dumps({**facts, "passes": kept}, indent=1))
    for name in ("given.txt", *filter(None, (p["file"] for p in kept))):
        write(folder / name, files[name])
    refused("tvm", version)


def iree(version: str) -> None:
    refused("iree", version)


def refused(compiler: report.Inside, version: str) -> None:
    """What the compiler's process raised, without what follows on it at length."""
    with heard(insides, "refusal") as read:
        look(compiler, "refused")
    texts = (_SESSION.sub("", text).splitlines()[:_MOST_LINES] for _, text in read)
    text = joined("\n".join(lines) for lines in texts)
    write(FOLDER / compiler / "refused" / f"{version.partition('.post')[0]}.txt", text)


def tensorflow(version: str) -> None:
    folder = FOLDER.parent / "snippet/tensorflow/samples" / version
    with heard(programs, "placed") as read:
        look("tensorflow", "branching")
    ((_, text, lines, _),) = read
    write(folder / "stablehlo.txt", text)
    write(folder / "lines.json", json.dumps(lines, indent=1))


@contextmanager
def heard(owner: Any, name: str) -> Iterator[list[Any]]:
    """Context in which the arguments of each call of `owner.name` are added to the list."""
    calls, original = list[Any](), getattr(owner, name)

    def hearing(*args: Any, **named: Any) -> Any:
        calls.append(args)
        return original(*args, **named)

    with mock.patch.object(owner, name, hearing):
        yield calls


def look(inside: report.Inside, name: str) -> None:
    """Looks into the snippet of that name."""
    looked((SNIPPETS / f"{name}.txt").read_text(), inside)


def write(file: Path, text: str) -> None:
    """Writes a sample, which names no folder of this machine; none of what a version does not
    print."""
    if not text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    for path in sorted(filter(None, (*sys.path, sys.prefix)), key=len, reverse=True):
        text = text.replace(f"{path}/", "")
    text = _CACHE.sub("/tmp/torchinductor/", text)
    file.write_text(f"{text.rstrip()}\n")


def of(environment: str, package: str) -> str:
    """The version of a package that is installed in an environment of its own; "" of none."""
    found = installed().get(environment)
    return found.own.get(package, "") if found else ""


TORCH = f"torch-{torch.__version__.rpartition('.')[0]}"
GROUPS: dict[str, tuple[str, tuple[Callable[[str], None], ...]]] = {
    "torch": (TORCH, (dynamo, inductor, export, torchscript)),
    "jax": (f"jaxlib-{jaxlib.__version__}", (of_jax, xla, sharding)),
    "tvm": (of("tvm", "apache-tvm"), (tvm,)),
    "iree": (of("iree", "iree-base-compiler"), (iree,)),
    "tensorflow": (of("tensorflow", "tensorflow-cpu"), (tensorflow,)),
}


def main(names: list[str]) -> None:
    on_a_mesh.start()
    jax.devices()
    for name in names or GROUPS:
        version, stores = GROUPS[name]
        if not version:
            sys.exit(f"{name} is not installed here: make toolchain NAME={name}")
        for store in stores:
            store(version)


if __name__ == "__main__":
    main(sys.argv[1:])
