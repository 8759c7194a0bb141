"""`interpreted(kernel, arrays)` prints a kernel and runs it in Triton's interpreter."""

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit
from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.gpu.schedule import Parts
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import interpreter

Arrays = dict[str, np.ndarray]
SECONDS = 60


@pytest.fixture
def interpreted(interpreter_process: ProcessPoolExecutor) -> Callable[..., Arrays]:
    def run(kernel: Kernel, inputs: Arrays, parts: Parts | None = None) -> Arrays:
        parts = parts or choose_gpu(kernel, resolve("sm_90"))[0]
        # Inputs may be given in the order of the kernel's, by any names.
        given = dict(zip((b.name for b in kernel.inputs), inputs.values(), strict=True))
        results = [b.name for b in kernel.outputs]
        call: Future[Arrays] = interpreter_process.submit(
            interpreter.run, [emit(part) for part in parts], given, results
        )
        return call.result(timeout=SECONDS)

    return run
