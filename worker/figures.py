"""What the compiler's cost model has to know of this machine's processor: measured before the
worker's first run, where nothing is recorded of it (compiler_core/schedule/figures.py), or only
what was measured beside others' work."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import msgspec

from compiler_core.schedule.figures import VARIABLE, Figures, in_record, processor, recorded

log = logging.getLogger(__name__)

# It takes some twenty seconds, of which some five are the frameworks' imports.
_SECONDS = 120


def export(record: Path) -> None:
    """Has every compiler that this process starts told of its processor."""
    os.environ.update(variables(record))


def environment() -> dict[str, str]:
    """What a compiler's environment has of that."""
    return {VARIABLE: os.environ[VARIABLE]} if os.environ.get(VARIABLE) else {}


def variables(record: Path) -> dict[str, str]:
    """What a compiler's environment says of this processor: the figures in the file `record`, which
    are measured where it has none that were taken in quiet; nothing where the compiler knows the
    processor, or it could not be measured."""
    name = processor()
    if name in recorded():
        return {}
    figures = _read(record).get(name)
    if figures is None or figures.busy:
        _measure(record)
        figures = _read(record).get(name)
    return {} if figures is None else {VARIABLE: msgspec.json.encode(figures).decode()}


def _read(record: Path) -> dict[str, Figures]:
    try:
        return in_record(record.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return {}


def _measure(record: Path) -> None:
    """In a process of its own, since this one never imports torch."""
    log.info("measuring this processor for the cost model: %s", record)
    command = [sys.executable, "-m", "compiler_core", "probe", "--json", str(record)]
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.warning("this processor was not measured: %s", error)
        return
    if done.returncode:
        log.warning("this processor was not measured: %s", done.stderr.strip())
