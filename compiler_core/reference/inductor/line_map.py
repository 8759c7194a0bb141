"""The line map of the module that TorchInductor writes, as fine as it is known: within a kernel
line by line, above it by the nodes of the graph that its comment lists."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby

from compiler_core.reference.inductor.output_code import Code
from compiler_core.reference.inductor.records import Lowered
from compiler_core.reference.origins import Origin

#   y => add_1, erf, mul, mul_1, mul_2
#   %add : Tensor "f32[8, 32][32, 1]cpu"[num_users=2] = call_function[target=...](args = (...
_OF_NODES = re.compile(r"\s*#   (?:\w+ => (?P<several>.*)|%(?P<one>\w+) : .* = .*)")


def nodes(
    code: Code,
    lowered: Lowered,
    ids: Callable[[Iterable[Origin]], list[int]],
    by_name: Mapping[str, list[int]],
) -> list[list[int]]:
    """The captured operations of each line of the text: those that the line itself computes, whose
    origins `ids` maps to operations; where none are known, those of the kernels and buffers that
    the line belongs to, from `by_name`."""
    ids_of = cache(ids)  # many lines have the same origins
    found = (each for kernel, lines in _parts(code) for each in _of(kernel, lines, lowered))
    known = zip(found, code.nodes(by_name), strict=True)
    return [ids_of(frozenset(origins)) or all_of_it for origins, all_of_it in known]


def _parts(code: Code) -> Iterator[tuple[str, list[str]]]:
    """The lines of each kernel with its name, and those between with a blank one."""
    lines = zip(code.names, code.text.splitlines(), strict=True)
    kernels = code.kernels
    for names, part in groupby(lines, key=lambda each: each[0]):
        name = names[0] if len(names) == 1 and names[0] in kernels else ""
        yield name, [line for _, line in part]


def _of(kernel: str, lines: list[str], lowered: Lowered) -> Iterator[set[Origin]]:
    if kernel in lowered.values:
        return lowered.values[kernel].of(lines)
    return (_listed(line, lowered) for line in lines)


def _listed(line: str, lowered: Lowered) -> set[Origin]:
    """The origins of the nodes that a line of a comment lists."""
    found = _OF_NODES.fullmatch(line)
    names = (found["several"] or found["one"]).split(", ") if found else []
    return {lowered.nodes[name] for name in names if name in lowered.nodes}
