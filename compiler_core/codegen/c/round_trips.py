"""Floats that become whole numbers and floats again.

Of the two conversions gcc makes one rounding toward zero wherever traps may be ignored
(-fno-trapping-math, match.pd). That is another number beyond the integers' range, and -0 for what
is between -1 and 0. A file with such a pair is compiled as if there were traps.
"""

import re

ONE_BY_ONE = """\
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize ("trapping-math")
#endif
"""
_FLOAT = re.compile(r"\b(?:float|double) (\w+) =")
_WHOLE = re.compile(r"\b(?:int|long) (\w+) = \((?:int|long)\)(\w+);")
_BACK = re.compile(r"\((?:float|double)\)(\w+)")


def has_round_trip(text: str) -> bool:
    """Whether a float that is converted to an integer in `text` is converted to a float again."""
    floats = set(_FLOAT.findall(text))
    whole = {name for name, of in _WHOLE.findall(text) if of in floats}
    return not whole.isdisjoint(_BACK.findall(text))
