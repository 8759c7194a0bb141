"""Why a program has the launches that it has: graph breaks, library calls, what was not fused, in
the words of its report."""

import re
from collections.abc import Iterable, Iterator, Sequence

from compiler_core import report

# More reasons than these are no sentence.
_MOST = 2
_LONGEST = 240
# "%9 exponential (k1_matmul_reduce)", or the name of a launch alone.
_VALUE = re.compile(r"^%\d+ (?P<name>\w+)")
# "%5 (reduce)", of which a reason speaks; no number of the IR's is in the snippet.
_NUMBERED = re.compile(r"%(?P<value>\d+) \((?P<name>\w+)\)")


def launches(program: report.Program) -> str:
    """Why there is more than one, beginning with a colon; blank where the report has no reason."""
    return _joined([*_breaks(program), *_calls(program), *_refused(program, refusals(program))])


def breaks(program: report.Program) -> str:
    """The graph breaks, beginning with a colon."""
    return _joined([*_breaks(program)])


def calls(program: report.Program) -> str:
    """The library calls, beginning with a colon."""
    return _joined([*_calls(program)])


def refused(program: report.Program, found: Iterable[report.FusionRefusal]) -> str:
    """Why these were not fused, beginning with a colon."""
    return _joined([*_refused(program, found)])


def refusals(program: report.Program) -> list[report.FusionRefusal]:
    """The refused fusions of the plan that ran."""
    return [each for each in program.fusion_refusals if report.ran(each, program)]


def operation(text: str) -> str:
    """The operation of one end of a refused edge."""
    value = _VALUE.match(text)
    return value["name"] if value else text


def short(text: str) -> str:
    """A reason of a stranger's run, of a length that fits a sentence."""
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _breaks(program: report.Program) -> Iterator[str]:
    for each in program.graph_breaks:
        at = "" if each.line is None else f" in line {each.line}"
        yield f"the graph ends{at}, because {short(each.reason)}"


def _calls(program: report.Program) -> Iterator[str]:
    for each in program.kernels:
        if each.library and report.ran(each, program):
            reason = f", because {short(each.reason)}" if each.reason else ""
            yield f'"{each.id}" is a call of {each.library}{reason}'


def _refused(program: report.Program, found: Iterable[report.FusionRefusal]) -> Iterator[str]:
    said = set[str]()
    for each in found:
        if each.reason not in said:
            said.add(each.reason)
            yield _sentence(program, each)


def _sentence(program: report.Program, refusal: report.FusionRefusal) -> str:
    """What was not fused, by the snippet's own names and lines where the report has them."""
    nodes = [each for each in program.nodes if each.id in refusal.nodes]
    nodes = [each for each in nodes if each.graph == refusal.graph]
    ends = {refusal.from_value: operation(refusal.from_), refusal.to_value: operation(refusal.to)}
    one, other = (f'"{operation(end)}"' for end in (refusal.from_, refusal.to))
    pair = f"{one} was not fused with {other}"
    if len(nodes) == 2:
        first, last = (_written(each) for each in nodes)
        pair = f"{first} was not fused with {last}"
        ends = dict(zip((refusal.from_value, refusal.to_value), map(_name, nodes), strict=True))
    elif nodes:
        # Equal operations of one line are one value of the IR.
        pair = f"{pair}, of {' and '.join(dict.fromkeys(map(_written, nodes)))}"

    def named(found: re.Match[str]) -> str:
        number = found["value"]
        of = refusal.named.get(number, ())
        own = {_written(each) for each in program.nodes
               if each.id in of and each.graph == refusal.graph}  # fmt: skip
        if int(number) not in ends and len(own) == 1:
            return own.pop()
        return f'"{ends.get(int(number), found["name"])}"'

    return f"{pair}, because {short(_NUMBERED.sub(named, refusal.reason))}"


def _written(node: report.CapturedOp) -> str:
    """An operation of the snippet, and where it stands."""
    at = "" if node.line is None else f" in line {node.line}"
    return f'"{_name(node)}"{at}'


def _name(node: report.CapturedOp) -> str:
    """ "softmax" of "aten._softmax", "sum" of "aten.sum.dim_IntList"."""
    parts = node.op.split(".")
    return (parts[1] if len(parts) > 1 else node.op).lstrip("_")


def _joined(reasons: Sequence[str]) -> str:
    if not reasons:
        return ""
    more = len(reasons) - _MOST
    rest = f"; and {more} more" if more > 0 else ""
    return f": {'; '.join(reasons[:_MOST])}{rest}"
