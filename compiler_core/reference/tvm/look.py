"""TVM's stages: the module after every pass that changed it, the kernels, the generated code."""

import json
from collections.abc import Iterator
from pathlib import Path

from compiler_core import report
from compiler_core.extras.session import Session
from compiler_core.reference.another_process import compile_there, figures, start
from compiler_core.reference.result import artifact
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.tvm import kernels, passes
from compiler_core.reference.tvm.exported import Exported, exported, ids_in
from compiler_core.reference.units_of_work import decisions

_FUSION_PASSES = ("LegalizeOps", "AnnotateTIROpPattern", "FuseOps")
_CODE: tuple[tuple[str, report.Language], ...] = (("ll", "llvm"), ("asm", "text"))


def look(subject: Subject) -> Look:
    """The stages of TVM's compilation for this CPU; or, in one sentence, why there are none. Raises
    ToolchainError where TVM fails, and what torch.export raises."""
    session = start("tvm")
    if isinstance(session, str):
        return session
    program = exported(subject.captured, subject.framework)
    return program if isinstance(program, str) else _look(subject, session, program)


def _look(subject: Subject, session: Session, program: Exported) -> Iterator[Item]:
    try:
        dump = session.folder / "dump"
        compile_there(session, program, dump=str(dump))
        files = _files(dump)
    finally:
        session.close()
    yield from _stages(subject, files)


def _files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(errors="replace") for path in sorted(folder.iterdir())}


def _stages(subject: Subject, files: dict[str, str]) -> Iterator[Item]:
    facts = json.loads(files["facts.json"])
    variables = {name: ids_in(ids) for name, ids in facts["variables"].items()}
    ran = passes.passes(facts, files)
    legalized, annotated, fused = (passes.after(ran, name) for name in _FUSION_PASSES)
    found = kernels.kernels(legalized, annotated, fused, variables)
    places = passes.Places(variables, {each.name: [*each.nodes] for each in found})
    imported = passes.imported(files["given.txt"], places)
    summary = "the exported program as TVM imports it"
    yield report.Stage("relax", "ok", 0.0, [imported], summary=summary)
    yield from passes.stages(files["given.txt"], ran, places)
    yield kernels.stage(found, {n.id: n.line for n in subject.captured.nodes})
    yield from decisions("tvm", [each for each in found if each.certain], subject.edges)
    yield figures("tvm", **kernels.counts(legalized, fused))
    yield _code(files)


def _code(files: dict[str, str]) -> report.Stage:
    texts = [
        artifact(f"{kind} {name.partition('.')[0]}", language, text)
        for kind, language in _CODE
        for name, text in files.items()
        if name.endswith(f".{kind}")
    ]
    bytecode = artifact("vm", "text", files.get("vm.txt", ""))
    summary = "instructions of the virtual machine, LLVM IR, assembly"
    return report.Stage("code", "ok", 0.0, [bytecode, *texts], summary=summary)
