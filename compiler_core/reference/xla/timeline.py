"""The instructions that XLA ran in a call as events."""

from collections.abc import Sequence

from compiler_core import report
from compiler_core.measure.recorded import Call, Prepared, Recorded, Span, record
from compiler_core.reference.result import Reference
from compiler_core.reference.subject import Subject
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.profile import ABOUT, INSTRUCTION, profile

_GAPS = "between instructions: dispatch and waiting"
_AROUND = f"{_GAPS}, and between graphs TorchDynamo's guards and Python"
# Instructions that run others, which are recorded themselves.
_CONTAINERS = frozenset(("while", "conditional", "call"))
# Instructions that are run by code that XLA did not generate.
_CALLS = frozenset(("custom-call", "dot", "convolution", "fft", "topk"))
# Kinds of fusions that XLA generates code for; others are a library's.
_GENERATED = frozenset(("", "kLoop", "kInput", "kOutput"))


def recorded(
    subject: Subject, reference: Reference, prepared: Prepared
) -> tuple[Recorded, list[report.TimelineEvent], str]:
    """Records calls of the compiled program; returns them, the events of the call that is shown,
    and a text on how they were recorded."""
    found = record(prepared, profile)
    shown = [a for a in reference.artifacts if a.kind == "hlo"]
    gaps = _AROUND if subject.captured.session is not None else _GAPS
    return found, events(found.call, shown), f"{ABOUT}; {gaps}"


def events(call: Call, shown: Sequence[report.Artifact]) -> list[report.TimelineEvent]:
    """The instructions that ran, in order. `shown` are the modules' texts with their line maps."""
    modules = [(hlo.parse(each.text), each) for each in shown]
    found = []
    for span in call.walk():
        if INSTRUCTION not in span.tags:
            continue
        named = [each for each in modules if each[0].name in span.tags]
        module, text = (named or modules)[0]
        instruction = module.named(span.name)
        if not _contains_others(instruction):
            found.append(_event(span, instruction, text))
    return sorted(found, key=lambda e: e.start_us)


def _event(
    span: Span, instruction: hlo.Instruction | None, shown: report.Artifact
) -> report.TimelineEvent:
    kind: report.EventKind = "library" if instruction and _is_call(instruction) else "kernel"
    nodes = shown.nodes[instruction.line] if instruction else []
    return report.TimelineEvent(span.start_us, span.duration_us, kind, span.name, list(nodes))


def _contains_others(instruction: hlo.Instruction | None) -> bool:
    return instruction is not None and instruction.opcode in _CONTAINERS


def _is_call(instruction: hlo.Instruction) -> bool:
    return instruction.opcode in _CALLS or instruction.fusion_kind not in _GENERATED
