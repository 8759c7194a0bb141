"""Names for an exported program's sizes: those of the program's own inputs on the page. torch has
symbols of its own, which differ from export to export."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.export.graph_signature import InputKind


def names_of(exported: Any, sizes: Sequence[Sequence[str]]) -> dict[str, str]:
    """The name of each of torch's symbols. `sizes` has the names of the dimensions of each tensor
    argument, "" for one that does not vary."""
    shapes = [shape for _, shape in _given(exported)]
    pairs = (
        pair
        for shape, own in zip(shapes, sizes, strict=False)
        for pair in zip(shape, own, strict=False)
    )
    return {str(size): name for size, name in pairs if name and isinstance(size, torch.SymInt)}


def where(exported: Any) -> dict[str, str]:
    """For each of torch's symbols, the dimensions that have this size: "x, dimension 0; mask,
    dimension 0"."""
    found: dict[str, list[str]] = {}
    for name, shape in _given(exported):
        for axis, size in enumerate(shape):
            if isinstance(size, torch.SymInt):
                found.setdefault(str(size), []).append(f"{name}, dimension {axis}")
    return {size: "; ".join(places) for size, places in found.items()}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with symbols replaced by their names."""
    if not names:
        return text
    symbols = "|".join(map(re.escape, names))
    return re.sub(rf"\b(?:{symbols})\b", lambda found: names[found[0]], text)


def _given(exported: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The program's own tensors, by their names in the graph, with their shapes."""
    own = {
        spec.arg.name
        for spec in exported.graph_signature.input_specs
        if spec.kind is InputKind.USER_INPUT
    }
    for node in exported.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        if node.name in own and isinstance(value, torch.Tensor):
            yield node.name, tuple(value.shape)
