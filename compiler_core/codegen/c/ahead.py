"""Helper functions that are compiled once, ahead of the programs that call them: those of f32
matrix products, which take gcc longer than the rest of a program, and those that move memory
(codegen/c/turning.py).

The text of a program that is shown contains their definitions, so that it can be compiled as it is.
Where the helpers have been compiled ahead, gcc is given declarations in their place.
"""

from collections.abc import Mapping

from compiler_core.codegen.c import tiles, turning
from compiler_core.ir.types import F32

_CALLS = "rows_f32( pack_f32( pack_f32_t("


def text() -> str:
    """A C file with the helpers of f32 products alone."""
    shared = (f.shared for f in tiles.functions(_CALLS, F32))
    return "\n".join((tiles.SIZES, tiles.vectors(F32), *shared))


def declarations() -> Mapping[str, str]:
    """The declaration that replaces the definition of each of these helpers in a program, by the
    text of that definition."""
    return {f.text: f.declared for f in tiles.functions(_CALLS, F32)}


# Small helpers: compiled ahead where a process is warmed up, and with their program elsewhere.
_SMALL = (turning.STREAM, turning.TURN)


def small_text() -> str:
    """A C file with the helpers that move memory alone."""
    return "\n".join(f.shared for f in _SMALL)


def small_declarations() -> Mapping[str, str]:
    """The declaration that replaces each definition of a helper that moves memory, by the text of
    that definition."""
    return {f.text: f.declared for f in _SMALL}
