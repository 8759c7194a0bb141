"""Warms up a process before it is forked: imports everything, and traces and compiles a few small
programs."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from compiler_core import report
from compiler_core.backends.registry import backends, kind, last_resort
from compiler_core.pipeline.context import Compilation, no_lease
from compiler_core.pipeline.order import PIPELINE
from compiler_core.pipeline.stage_by_stage import run
from compiler_core.schedule.targets import own_target
from compiler_core.snippet.run import find_programs

# What a fork server compiles before it forks: little of everything, nothing large.
_WARM_UP = (
    "# inputs: f32[8,16], f32[16]\nimport torch\n\n\n"
    "def warm(x, b):\n    return torch.softmax(torch.nn.functional.gelu(x + b), -1)\n",
    "# inputs: f32[8,16], f32[16]\nimport torch\n\n\n"
    "def warm(x, b):\n    y = x + b\n    return y * 2 if y.sum() > 0 else y\n",
    "# inputs: f32[8,16], f32[16]\nimport jax\n\n\n"
    "def warm(x, b):\n    return jax.nn.softmax(jax.nn.gelu(x + b))\n",
)


def warm() -> None:
    """Warms up this process without leaving threads or processes, so that it may be forked and its
    children compile warm.

    torch must not start its OpenMP threads here (a forked child would wait for them for ever),
    JAX's CPU client must not be started (it has threads), and no GPU must be begun (it would be
    lost to the children). Nothing that was compiled is run, therefore, and the children start all
    three.
    """
    import torch

    torch.set_num_threads(1)
    with _no_gpu_begun():
        _compile_a_little()


@contextmanager
def _no_gpu_begun() -> Iterator[None]:
    """Context in which torch is told about this machine's GPU without asking it: wherever
    TorchDynamo compiles, it asks for the state of the GPU's random numbers, and for its stream."""
    import torch

    from compiler_core.reference.inductor.gpu_stand_in import stand_in

    own = own_target()
    if own is None:
        yield
        return
    with stand_in(own), mock.patch.object(torch.accelerator, "is_available", lambda: False):
        yield


def _compile_a_little() -> None:
    from compiler_core.reference.inductor import prepare as inductor

    inductor.start()
    device, options = last_resort(), report.Options(measure=False)
    names = [stage.name for stage in PIPELINE]
    compiling = PIPELINE[: names.index("numerics")]
    planning = backends(device, options.target)
    for backend in planning:
        backend.warm_up()
    for source in _WARM_UP:
        for program in find_programs(source, options, kind(device).memory, _ignored).programs:
            c = Compilation(0, program, options, device, _ignored, no_lease, planning)
            run(c, compiling)
    for backend in planning:
        backend.end()


def _ignored(event: report.Event) -> None:
    pass
