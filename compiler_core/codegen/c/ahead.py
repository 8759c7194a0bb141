"""Functions that are compiled ahead of the programs that call them, which are the same in every
program: the helpers of f32 products, which take gcc longer than all that is around them; and what
moves memory, which half of the programs of some megabytes call.

The text of a program contains them, as a person reads and compiles it. Where they are compiled
ahead, gcc is given declarations in their place.
"""

from collections.abc import Mapping

from compiler_core.codegen.c import tiles, turning
from compiler_core.ir.types import F32

_CALLS = "rows_f32( pack_f32( pack_f32_t("


def text() -> str:
    """The functions of products as a C file of their own."""
    shared = (f.shared for f in tiles.functions(_CALLS, F32))
    return "\n".join((tiles.SIZES, tiles.vectors(F32), *shared))


def declarations() -> Mapping[str, str]:
    """For each text in a program that defines such functions, the declarations that take its
    place."""
    return {f.text: f.declared for f in tiles.functions(_CALLS, F32)}


# Small ones: worth having where a process is warmed up, and compiled with their program elsewhere.
_SMALL = (turning.STREAM, turning.TURN)


def small_text() -> str:
    """What moves memory, as a C file of its own."""
    return "\n".join(f.shared for f in _SMALL)


def small_declarations() -> Mapping[str, str]:
    """For each definition of these in a program, the declaration that takes its place."""
    return {f.text: f.declared for f in _SMALL}
