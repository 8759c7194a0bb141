"""How a program was measured, held against the machine and the time that its run has taken."""

import os
from collections.abc import Iterator
from typing import Any

from msgspec import structs

from compiler_core.report import BASELINES, Framework, Measurement
from worker.sandbox.limits import Limits, cpus

# What a hypervisor takes is counted beside what other processes take.
_COUNTED = 4


def as_can_be(said: Measurement, framework: Framework, elapsed_s: float) -> tuple[Measurement, str]:
    """What is said with what can be in the place of what cannot, and the first of that; "" where
    all can be."""
    wrong = [*_wrong(said, framework, elapsed_s)]
    changed: dict[str, Any] = {name: value for name, value, _ in wrong}
    return structs.replace(said, **changed), wrong[0][2] if wrong else ""


def _wrong(
    said: Measurement, framework: Framework, elapsed_s: float
) -> Iterator[tuple[str, Any, str]]:
    """Each field that cannot be as it is, with what it is to be and the words for it."""
    if said.baseline not in ("", *BASELINES[framework]):
        yield "baseline", "", f"the baseline {said.baseline}"
    if said.processors > cpus():
        yield "processors", cpus(), f"{said.processors:,} processors, of {cpus()}"
    if said.threads > (most := Limits().threads):
        yield "threads", most, f"{said.threads:,} threads, of {most}"
    if (said.others or 0) > (all_there_are := _COUNTED * (os.cpu_count() or 1)):
        yield "others", None, f"{said.others:g} processors of others, of {all_there_are}"
    if said.blocks > said.rounds:
        yield "blocks", said.rounds, f"{said.blocks} blocks of {said.rounds} rounds"
    if said.seconds > elapsed_s:
        yield "seconds", 0.0, f"{said.seconds:.3g} s of measuring within {elapsed_s:.3g}"
