"""TVM: compiles a torch.export.ExportedProgram for this CPU by a pipeline of Relax, untuned."""

import json
import time
from pathlib import Path
from typing import Any

import torch
import tvm
from tvm import relax
from tvm.ir.instrument import pass_instrument
from tvm.relax.frontend.torch.exported_program_translator import ExportedProgramImporter

# Relax's pipeline that legalizes operations, fuses them by their patterns and merges their loops.
_PIPELINE = "zero"
# The beginning of a stack trace that holds ids of captured operations instead.
_IDS = "ops:"


class Compiler:
    """Compiles and runs one program."""

    def __init__(self) -> None:
        self._function: Any = None

    def compile(self, text: str, dump: str = "") -> dict[str, Any]:
        """Compiles the exported program in the file `text`; returns the milliseconds that this took
        and TVM's version. With `dump`, a folder, the module after each pass that changed it and the
        code are written there, and nothing is loaded. Raises what torch and TVM raise."""
        with open(text, "rb") as opened:
            exported = torch.export.load(opened)
        start = time.perf_counter()
        module, variables = _imported(exported)
        recording = _Recording(dump)
        recording.begin(module)
        with tvm.transform.PassContext(opt_level=3, instruments=[recording] if dump else []):
            executable = tvm.compile(relax.get_pipeline(_PIPELINE)(module), target=_target())
        if dump:
            recording.write(executable, variables)
        else:
            self._function = relax.VirtualMachine(executable, tvm.cpu())["main"]
        ms = (time.perf_counter() - start) * 1e3
        return {"ms": ms, "version": tvm.__version__}

    def about(self) -> str:
        """How the program is run, in words."""
        return f"pipeline {_PIPELINE}, not tuned: its loops run as they are fused, on one thread"

    def arguments(self, arrays: list[Any]) -> list[Any]:
        """The arrays as tensors of TVM."""
        return [tvm.runtime.tensor(each) for each in arrays]

    def call(self, arguments: list[Any]) -> Any:
        """Runs the program; returns its outputs."""
        return self._function(*arguments)

    def arrays(self, outputs: Any) -> list[Any]:
        """The outputs as numpy arrays; nested tuples are flattened."""
        return [each.numpy() for each in _flat(outputs)]


def _flat(outputs: Any) -> list[Any]:
    if isinstance(outputs, tvm.runtime.Tensor):
        return [outputs]
    return [each for output in outputs for each in _flat(output)]


def _target() -> Any:
    return tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})


def _imported(exported: Any) -> tuple[Any, dict[str, str]]:
    """The program, decomposed to Core ATen, as a Relax module, and for each of its variables the
    text "ops:3,4" with the ids of the captured operations that it computes."""
    importer = ExportedProgramImporter()
    module = importer.from_exported_program(
        exported.run_decompositions(), False, False, False, _EXTRA_CONVERTERS
    )
    last = {var.name: node for node, var in importer.env.items() if hasattr(var, "name")}
    return module, _places(module, last)


def _extreme(of: Any) -> Any:
    """A converter for torch.amax or torch.amin, which TVM's importer has none for; `of` is the
    operation of Relax."""

    def convert(node: Any, importer: Any) -> Any:
        x, dim, keep = (*node.args, (), False)[:3] if len(node.args) < 3 else node.args
        axes = list(dim) if isinstance(dim, (list, tuple)) else [dim]
        keep = node.kwargs.get("keepdim", keep)
        found = of(importer.env[x], axis=axes or None, keepdims=bool(keep))
        return importer.block_builder.emit(found)

    return convert


def _added(node: Any, importer: Any) -> Any:
    """The converter for torch.scatter_add, which the gradient of an index by an array becomes."""
    x, dim, index, values = node.args
    x, index, values = (importer.env[each] for each in (x, index, values))
    found = relax.op.scatter_elements(x, index, values, axis=dim, reduction="add")
    return importer.block_builder.emit(found)


def _sorted(node: Any, importer: Any) -> Any:
    """The converter for torch.sort(x, stable=..., dim=..., descending=...): values and indices."""
    x = importer.env[node.args[0]]
    named = dict(zip(("dim", "descending"), node.args[1:], strict=False)) | node.kwargs
    axis, descending = named.get("dim", -1), bool(named.get("descending", False))
    emit = importer.block_builder.emit
    order = emit(relax.op.argsort(x, axis=axis, descending=descending, dtype="int64"))
    return emit(relax.op.gather_elements(x, order, axis=axis)), order


_EXTRA_CONVERTERS = {
    "sort.stable": _sorted,
    "amax.default": _extreme(relax.op.max),
    "amin.default": _extreme(relax.op.min),
    "scatter_add.default": _added,
}


def _places(module: Any, last: dict[str, Any]) -> dict[str, str]:
    """The ids of each variable. `last` has the node of the last variable that each operation
    became; the variables before that one are of the same operation."""
    found, waiting = {}, []
    for block in module["main"].body.blocks:
        for name in (binding.var.name for binding in block.bindings):
            waiting.append(name)
            if name in last:
                trace = last[name].meta.get("stack_trace") or ""
                place = trace if trace.startswith(_IDS) else ""
                found.update(dict.fromkeys(waiting, place))
                waiting = []
    return found


@pass_instrument
class _Recording:
    """Writes the module's text after each pass that changed it, and notes the milliseconds of every
    pass."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._text = ""
        self._passes: list[dict[str, Any]] = []
        # Of each pass under way its name, when it began, and the seconds spent on writing texts
        # until then.
        self._begun: list[tuple[str, float, float]] = []
        self._writing = 0.0

    def begin(self, module: Any) -> None:
        if str(self._folder) != ".":
            self._folder.mkdir()
            self._text = module.script()
            (self._folder / "given.txt").write_text(self._text)

    def run_before_pass(self, module: Any, info: Any) -> None:
        self._begun.append((str(info.name), time.perf_counter(), self._writing))

    def run_after_pass(self, module: Any, info: Any) -> None:
        now = time.perf_counter()
        name, begun, written = self._begun.pop()
        within = self._begun[-1][0] if self._begun else ""
        ms = (now - begun - (self._writing - written)) * 1e3
        text, file = module.script(), ""
        # Some passes are run on a part of the module, which may be empty.
        if text != self._text and "def " in text:
            file = f"{len(self._passes):04}.txt"
            (self._folder / file).write_text(text)
            self._text = text
        self._passes.append({"name": name, "within": within, "ms": ms, "file": file})
        self._writing += time.perf_counter() - now

    def write(self, executable: Any, variables: dict[str, str]) -> None:
        facts = {"passes": self._passes, "variables": variables}
        (self._folder / "facts.json").write_text(json.dumps(facts))
        (self._folder / "vm.txt").write_text(executable.as_text())
        for number, module in enumerate(executable.mod.imports):
            for kind in ("ll", "asm"):
                name = f"{number}.{kind}"
                (self._folder / name).write_text(module.inspect_source(kind))
