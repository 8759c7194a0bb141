"""The registry of the compilers that run a program; options, command line, page and bench read
it."""

from typing import Literal

import msgspec

from compiler_core.report.vocabulary import Framework

# The compilers that the options may name. A compiler's mode follows a colon.
CompilerChoice = Literal[
    "core",
    "inductor",
    "inductor:reduce-overhead",
    "inductor:max-autotune",
    "inductor:dynamic",
    "xla",
    "iree",
    "tvm",
]
# `eager` is always measured.
Compiler = Literal["eager", CompilerChoice]


class CompilerInfo(msgspec.Struct, frozen=True):
    """A compiler's id, its title, and a short description."""

    id: Compiler
    title: str
    about: str
    # baseline: what the others are compared with; own: Fuselab's; reference: another project's.
    role: Literal["baseline", "own", "reference"] = "reference"
    # The command that installs it, if it is not part of the main environment.
    install: str = ""
    # The frameworks whose programs it is given unless compilers are chosen; a reference, where they
    # are measured.
    usual: tuple[Framework, ...] = ()


# In display order.
COMPILERS: tuple[CompilerInfo, ...] = (
    CompilerInfo("eager", "eager", "the framework itself, operation by operation", "baseline"),
    CompilerInfo("core", "core", "Fuselab's own compiler", "own", usual=("torch", "jax")),
    CompilerInfo("inductor", "TorchInductor", "torch.compile in its default mode"),
    CompilerInfo(
        "inductor:reduce-overhead",
        "TorchInductor reduce-overhead",
        "torch.compile(mode='reduce-overhead'): CUDA graphs, where there is a GPU",
    ),
    CompilerInfo(
        "inductor:max-autotune",
        "TorchInductor max-autotune",
        "torch.compile(mode='max-autotune'): times the kernels that it could take",
    ),
    CompilerInfo(
        "inductor:dynamic",
        "TorchInductor dynamic",
        "torch.compile(dynamic=True): one compilation for every size",
    ),
    # Nobody runs JAX operation by operation.
    CompilerInfo("xla", "XLA", "jax.jit", usual=("jax",)),
    CompilerInfo(
        "iree", "IREE", "iree-compile for this processor", install="make toolchain NAME=iree"
    ),
    CompilerInfo("tvm", "TVM", "Relax, not tuned", install="make toolchain NAME=tvm"),
)
# The compilers that the options may name.
CHOICES: tuple[CompilerInfo, ...] = tuple(c for c in COMPILERS if c.role != "baseline")
REFERENCES: tuple[CompilerInfo, ...] = tuple(c for c in COMPILERS if c.role == "reference")


def name_beside(compiler: str, framework: Framework) -> str:
    """A compiler's name beside a program of `framework`: in JAX, the baseline is no eager mode but
    runs op by op."""
    is_baseline = any(c.id == compiler and c.role == "baseline" for c in COMPILERS)
    return "op by op" if is_baseline and framework == "jax" else compiler


def package_of(compiler: Compiler) -> str:
    """The compiler without its mode: inductor of inductor:dynamic."""
    return compiler.partition(":")[0]


def mode_of(compiler: Compiler) -> str:
    """The mode of a compiler: dynamic of inductor:dynamic; "" for the default mode."""
    return compiler.partition(":")[2]
