"""What the C++ compiler made of TorchInductor's kernels is kept between runs of the tests, as is
what the C compiler made of ours. Headers are precompiled as ever."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kept_plugin import Kept, folder

_MODULE = "torch._inductor.cpp_builder"


class KeptKernels:
    """Inductor's way to call its compiler in a folder, but for kernels that it has compiled before
    with the same words."""

    def __init__(self, run: Callable[[str, str], None], folder: Path) -> None:
        self._run, self._folder = run, folder

    def __call__(self, line: str, cwd: str) -> None:
        command = shlex.split(line)
        compiler = shutil.which(command[0])
        target = command[command.index("-o") + 1]
        if compiler is None or not target.endswith(".main.so") or not Path(target).is_absolute():
            return self._run(line, cwd)

        import torch

        def compiled(_command: list[str], _seconds: float) -> bool:
            self._run(line, cwd)  # raises where it is refused
            return True

        # The headers are torch's own, which the words do not tell from those of another version.
        Kept(compiled, self._folder)([compiler, *command[1:], torch.__version__], 0.0)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    builder = sys.modules.get(_MODULE)
    if builder is None or not hasattr(item.config, "cache"):
        return
    if not isinstance(builder._run_compile_cmd, KeptKernels):
        builder._run_compile_cmd = KeptKernels(builder._run_compile_cmd, folder())
