"""Programs with graph breaks by hand, as conformance/breaks grows them."""

from textwrap import dedent, indent

from conformance.breaks.preamble import PREAMBLE
from conformance.breaks.programs import Broken

_INPUTS = """
def inputs(call):
    x = ((torch.arange(12) * 5 + call * 7) % 13 - 6).reshape(4, 3) / 2
    return x, torch.arange(4) / 2 - call, call
"""


def written(body: str, given: str = _INPUTS) -> Broken:
    """That of the lines of `f(x, y, k)`."""
    return Broken(f"{PREAMBLE}{given}\n\ndef f(x, y, k):\n{indent(dedent(body).strip(), '    ')}\n")
