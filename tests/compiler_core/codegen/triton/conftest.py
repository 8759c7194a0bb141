"""`interpreted(kernel, arrays)` prints a kernel and runs it in Triton's interpreter."""

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit
from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.gpu import GpuSchedule, choose_gpu
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import interpreter

Arrays = dict[str, np.ndarray]
SECONDS = 60


@pytest.fixture
def interpreted(interpreter_process: ProcessPoolExecutor) -> Callable[..., Arrays]:
    def run(kernel: Kernel, inputs: Arrays, schedule: GpuSchedule | None = None) -> Arrays:
        schedule = schedule or choose_gpu(kernel, resolve("sm_90"))
        results = {b.name: b.type for b in kernel.buffers if b.role == "out"}
        call: Future[Arrays] = interpreter_process.submit(
            interpreter.run, emit(kernel, schedule), inputs, results
        )
        return call.result(timeout=SECONDS)

    return run
