"""What is kept of Triton's work, seen on a kernel of one line."""

import os
from pathlib import Path

import pytest

from compiler_core.codegen.triton import offline
from compiler_core.schedule.targets import resolve
from tests.kept_kernels_plugin import Remembered

pytestmark = pytest.mark.cpu

KERNEL = (
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    "def one(x_ptr, BLOCK: tl.constexpr):\n    tl.store(x_ptr, {value})\n"
)


def asked(value: str, target: str = "sm_90") -> tuple:
    constants, options = (("BLOCK", 128),), (("num_warps", 1),)
    text = KERNEL.format(value=value)
    return text, "one", (("x_ptr", "*fp32"),), constants, options, resolve(target)


@pytest.fixture
def compiled() -> list[tuple]:
    """What was compiled, and not kept before."""
    return []


@pytest.fixture
def remembered(compiled: list[tuple], tmp_path: Path) -> Remembered:
    run = offline._compile.__wrapped__
    while isinstance(run, Remembered):
        run = run._run

    def counted(*given: object) -> offline.CompiledKernel:
        compiled.append(given)
        return run(*given)

    return Remembered(counted, tmp_path, b"here")


def test_a_kernel_is_compiled_once(
    remembered: Remembered, compiled: list[tuple], tmp_path: Path
) -> None:
    first, second = remembered(*asked("1.0")), remembered(*asked("1.0"))
    assert first == second and "1.0" in str(second.levels["ttir"])
    assert len(compiled) == len(os.listdir(tmp_path)) == 1


def test_another_text_target_or_compiler_compiles(
    remembered: Remembered, compiled: list[tuple], tmp_path: Path
) -> None:
    for given in (asked("1.0"), asked("2.0"), asked("1.0", "gfx942")):
        remembered(*given)
    Remembered(remembered._run, tmp_path, b"elsewhere")(*asked("1.0"))
    assert len(compiled) == 4


def test_what_is_refused_is_refused_again(remembered: Remembered, compiled: list[tuple]) -> None:
    for _ in range(2):
        with pytest.raises(Exception, match="nothing_of_the_kind"):
            remembered(*asked("nothing_of_the_kind"))
    assert len(compiled) == 2


def test_machine_code_is_known_by_its_bytes(tmp_path: Path) -> None:
    shown: list[bytes] = []
    printed = Remembered(lambda binary: shown.append(binary) or "text", tmp_path, b"")
    assert [printed(b"a"), printed(b"b"), printed(b"a")] == 3 * ["text"]
    assert shown == [b"a", b"b"]
