"""What is compiled before the programs that call it: the helper functions of products of f32, which
are the same in every program and take gcc longer than all that is around them.

The text of a program contains them, as a person reads and compiles it. Where they are compiled
ahead, gcc is given declarations in their place.
"""

import re
from collections.abc import Mapping

from compiler_core.codegen.c import tiles
from compiler_core.ir.types import F32

# A function that is not inline: its name and parameters.
_HEAD = re.compile(
    r"static (?:__attribute__\(\(noinline, noclone\)\) )?void (\w+)\((.*?)\) {", re.DOTALL
)
# Called directly, as a static one is: not through a table that another library could change.
_HIDDEN = r'__attribute__((visibility("hidden"), noinline)) void \1(\2)'
_CALLS = "rows_f32( pack_f32( pack_f32_t("


def text() -> str:
    """The functions as a C file of their own."""
    line, *functions = tiles.helpers(_CALLS, [F32])
    shared = (_HEAD.sub(rf"{_HIDDEN} {{", each) for each in functions)
    return "\n".join((tiles.SIZES, line, *shared))


def declarations() -> Mapping[str, str]:
    """For each text in a program that has such functions, the declarations in its place."""
    _, *functions = tiles.helpers(_CALLS, [F32])
    return {each: _declared(each) for each in functions}


def _declared(functions: str) -> str:
    heads = (f"{m.expand(_HIDDEN)};\n" for m in _HEAD.finditer(functions))
    return "".join(heads)
