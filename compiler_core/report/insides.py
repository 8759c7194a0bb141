"""The registry of insides, the compilers and parts of compilers whose stages can be shown beside
the core's; options, command line and page read it. Their stages carry an inside's id as
`compiler`."""

from typing import Literal, get_args

import msgspec

from compiler_core.report.vocabulary import Framework

Inside = Literal[
    "tensorflow",
    "dynamo",
    "aot",
    "inductor",
    "ladder",
    "export",
    "torchscript",
    "jax",
    "xla",
    "iree",
    "tvm",
    "stablehlo",
    "sharding",
]


class InsideInfo(msgspec.Struct, frozen=True):
    """An inside's id, its title, a short description, and the frameworks whose programs it exists
    for; for some programs of these it is skipped, and the stage says why."""

    id: Inside
    title: str
    about: str
    frameworks: tuple[Framework, ...]
    # The module that a snippet must import for it to be offered; blank if it is not about one.
    imported: str = ""
    # The command that installs it, if it is not part of the main environment.
    install: str = ""
    # Whether it starts from the graph that the core captures, and not from the program's own call.
    of_graph: bool = False


# In the order in which a program passes through them.
INSIDES: tuple[InsideInfo, ...] = (
    InsideInfo(
        "tensorflow",
        "TensorFlow",
        "of a snippet of its own: what it gives XLA, and its result; shown unasked",
        ("jax",),
        imported="tensorflow",
        install="make toolchain NAME=tensorflow",
    ),
    InsideInfo(
        "dynamo", "TorchDynamo", "graphs, graph breaks, guards, recompilations, sizes", ("torch",)
    ),
    InsideInfo("aot", "AOTAutograd", "joint, forward, backward; what is saved between", ("torch",)),
    InsideInfo("inductor", "TorchInductor", "passes, fusions, C++, Triton", ("torch", "jax")),
    InsideInfo(
        "ladder",
        "Back ends",
        "torch.compile's, one by one: which fails or differs first; seconds for Inductor's C++",
        ("torch",),
    ),
    InsideInfo(
        "export",
        "torch.export",
        "one graph or why not, its signature, sizes; the .pt2, AOTInductor's C++",
        ("torch",),
    ),
    InsideInfo(
        "torchscript", "TorchScript", "script and trace, and what the trace froze", ("torch",)
    ),
    InsideInfo("jax", "JAX", "jaxpr, what transformations made, why it traced again", ("jax",)),
    InsideInfo(
        "xla",
        "XLA",
        "HLO pass by pass, fusions, buffers, code",
        ("torch", "jax"),
        of_graph=True,
    ),
    InsideInfo(
        "iree",
        "IREE",
        "phases, dispatch regions, executables",
        ("torch", "jax"),
        install="make toolchain NAME=iree",
        of_graph=True,
    ),
    InsideInfo(
        "tvm",
        "TVM",
        "Relax pass by pass, fusions, code",
        ("torch", "jax"),
        install="make toolchain NAME=tvm",
    ),
    InsideInfo(
        "stablehlo",
        "StableHLO",
        "the captured graphs, to be taken elsewhere",
        ("torch", "jax"),
        of_graph=True,
    ),
    InsideInfo(
        "sharding",
        "Sharding",
        "on a mesh: who holds what, the partitioned HLO, what is sent",
        ("jax",),
    ),
)
assert tuple(i.id for i in INSIDES) == get_args(Inside)
