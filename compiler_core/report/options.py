"""What a person may ask of a run."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from compiler_core.report.compilers import CHOICES, CompilerChoice
from compiler_core.report.insides import INSIDES, Inside

Target = Literal["auto", "sm_80", "sm_90", "sm_100", "gfx942"]
DeviceChoice = Literal["auto", "cpu", "cuda"]
# Several stand for one machine's CPU: what a program for many devices becomes is seen on them.
Devices = Literal["auto", 1, 2, 3, 4, 5, 6, 7, 8]
MAX_DEVICES = 8
# The kinds of devices, of which `auto` takes the last that is there; who runs programs on each:
# backends/registry.py.
DEVICES = tuple(choice for choice in get_args(DeviceChoice) if choice != "auto")

MAX_SOURCE_BYTES = 256 * 1024


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person may ask of a run. Every field has a default."""

    # Inputs of a plain function, one spec an argument: "f32[32,512], i64[], f32[512]"; a size with
    # a name varies from call to call: "f32[B=32,512], i64[B]".
    inputs: Annotated[str, Meta(max_length=4000)] = ""
    # Where programs run and are measured. auto: the GPU if there is one.
    device: DeviceChoice = "auto"
    # How many devices the CPU is to JAX. auto: as many as the snippet's meshes take, else one.
    devices: Devices = "auto"
    # The GPU that Triton is compiled for. auto: the machine's own, else sm_90.
    target: Target = "auto"
    # Beside `eager`.
    compilers: Annotated[tuple[CompilerChoice, ...], Meta(max_length=len(CHOICES))] = ("core",)
    measure: bool = True
    # What to look into beside: how other compilers came to what they made of the programs.
    insides: Annotated[tuple[Inside, ...], Meta(max_length=len(INSIDES))] = ()
    # Whether the remedies of what is found are tried: each changes the snippet, runs and measures
    # it. What is found where nothing else is looked into: by TorchDynamo or by JAX.
    trials: bool = False
    # The environment whose versions run it, by name: one of those that a worker, or the machine of
    # the command line, has beside its main one. Blank: the main one.
    toolchain: Annotated[str, Meta(max_length=40, pattern=r"^([a-z0-9][a-z0-9._-]*)?$")] = ""
    # Whether a few more calls of each compiler are profiled: what runs when.
    timeline: bool = False
