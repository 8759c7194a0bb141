"""What tests of whole programs share."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from compiler_core.pipeline import order
from compiler_core.runtime import gcc


@pytest.fixture
def undisassembled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline without its last stages, for tests that look at no machine code and at no single
    kernel's error: a disassembler takes longer than all that was compiled."""
    stages = tuple(s for s in order.PIPELINE if s.name not in ("precision", "disassemble"))
    assert len(stages) == len(order.PIPELINE) - 2
    monkeypatch.setattr(order, "PIPELINE", stages)


class Remembering:
    """`subprocess`, but for a C text that it has compiled before: that gives the library of then.

    For tests that compile the same few programs some hundred times.
    """

    DEVNULL, TimeoutExpired = subprocess.DEVNULL, subprocess.TimeoutExpired

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], bytes] = {}

    def run(
        self, command: list[str], *, check: bool, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        source = next(word for word in command if word.endswith(".c"))
        target = Path(command[command.index("-o") + 1])
        flags = (word for word in command if word not in (source, str(target)))
        key = (Path(source).read_text(), *flags)
        if key in self._made:
            target.write_bytes(self._made[key])
            return subprocess.CompletedProcess(command, 0, "", "")
        done = subprocess.run(command, check=check, **options)
        if done.returncode == 0:
            self._made[key] = target.read_bytes()
        return done


@pytest.fixture(scope="module")
def remembering() -> Remembering:
    return Remembering()


@pytest.fixture
def compiled_once(remembering: Remembering, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same C text is compiled once a module."""
    monkeypatch.setattr(gcc, "subprocess", remembering)
