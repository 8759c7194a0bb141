"""The options of a run."""

from typing import Annotated, Literal, cast, get_args

import msgspec
from msgspec import Meta

from compiler_core.report.compilers import CHOICES, CompilerChoice
from compiler_core.report.insides import INSIDES, Inside
from compiler_core.report.known_names import KnownNames
from compiler_core.report.overrides import MAX_OVERRIDES, Override
from compiler_core.report.vocabulary import Framework

Target = Literal["auto", "none", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "gfx942"]
NO_TARGET = "none"
DeviceChoice = Literal["auto", "cpu", "cuda"]
# More than one are virtual devices of one CPU, for programs that are sharded over a mesh.
Devices = Literal["auto", 1, 2, 3, 4, 5, 6, 7, 8]
MAX_DEVICES = 8
# The kinds of devices; `auto` is the last of them that the machine has. backends/registry.py has
# the backend of each.
DEVICES = tuple(choice for choice in get_args(DeviceChoice) if choice != "auto")

MAX_TRIALS_FIRST = 100

MAX_SOURCE_BYTES = 256 * 1024


class Options(
    msgspec.Struct,
    metaclass=KnownNames,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
):
    """The options of a run. Every field has a default."""

    # The inputs of a function that the snippet does not call, or a call in place of its own, one
    # spec for each argument: "f32[32,512], i64[], f32[512]"; a size with a name is dynamic:
    # "f32[B=32,512], i64[B]".
    inputs: Annotated[str, Meta(max_length=4000)] = ""
    # What the numbers of these inputs begin from; each seed draws others, also for tensors that the
    # snippet's own call gives, and `outputs` then has some of what each compiler makes of them.
    # None: the usual numbers, and the snippet's own where its call has a tensor of that type.
    seed: Annotated[int, Meta(ge=0, lt=2**53)] | None = None
    # Where programs run and are measured. auto: the GPU if there is one.
    device: DeviceChoice = "auto"
    # The number of virtual devices that JAX makes of the CPU. auto: as many as the snippet's meshes
    # need, else one.
    devices: Devices = "auto"
    # The GPU that Triton is compiled for. auto: the machine's own, else sm_90; none: no other than
    # what runs the programs.
    target: Target = "auto"
    # The compilers to run and measure beside `eager`. auto: the core, and where a JAX program is
    # measured XLA too, for nobody runs JAX operation by operation.
    compilers: (
        Annotated[tuple[CompilerChoice, ...], Meta(max_length=len(CHOICES))] | Literal["auto"]
    ) = "auto"
    measure: bool = True
    # The insides whose stages are shown.
    insides: Annotated[tuple[Inside, ...], Meta(max_length=len(INSIDES))] = ()
    # Whether the remedies of the why-list are tried: each is applied to the snippet, which is run
    # and measured. Without `insides`, the list has what TorchDynamo or JAX finds.
    trials: bool = False
    # Lines of the snippet, 1-based, whose remedies are tried before all others, such as those that
    # a run had no time for.
    trials_first: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...], Meta(max_length=MAX_TRIALS_FIRST)
    ] = ()
    # The name of the toolchain that runs it, one of those installed beside the main environment;
    # blank for the main environment.
    toolchain: Annotated[str, Meta(max_length=40, pattern=r"^([a-z0-9][a-z0-9._-]*)?$")] = ""
    # What is decided in the compiler's stead: [WithoutPass](#withoutpass),
    # [ForbiddenEdge](#forbiddenedge), [ForcedEdge](#forcededge) or
    # [WantedSchedule](#wantedschedule), each told apart by its `type`.
    overrides: Annotated[tuple[Override, ...], Meta(max_length=MAX_OVERRIDES)] = ()
    # Whether a few more calls of each compiler are profiled, for `timelines`.
    timeline: bool = False

    def compilers_for(self, framework: Framework) -> tuple[CompilerChoice, ...]:
        """The compilers that a program of this framework is given to, beside eager."""
        if self.compilers != "auto":
            return self.compilers
        usual = (c for c in CHOICES if framework in c.usual)
        found = (c.id for c in usual if c.role == "own" or self.measure)
        return tuple(cast(CompilerChoice, name) for name in found)
