"""TOML of people, with one sentence for whatever keeps it from being read."""

import re
import tomllib
from typing import Any

_LONGEST = 200
# A name of so many parts. Each is looked up from the first, which takes seconds for a long one.
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP = re.compile(rf"(?<![\w-])(?:{_PART}[ \t]*+\.[ \t]*+){{32}}")


def read(text: str) -> dict[str, Any] | str:
    """The table in `text`, or why there is none."""
    if _DEEP.search(text):
        return "it is nested too deep"
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return str(error)[:_LONGEST].rstrip(".")
    except RecursionError:
        return "it is nested too deep"
    except ValueError:
        # Python reads no number of thousands of digits, which it says in its own words.
        return "it holds a number of too many digits"
