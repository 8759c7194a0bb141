"""Kinds of reasons not to fuse. What a person can do depends on the kind; the sentence of a reason
has the names and numbers of one edge."""

from typing import Literal

RefusalKind = Literal[
    "forbidden",
    "kernel between",
    "total of all",
    "other axes",
    "other shapes",
    "other extents",
    "no elements",
    "no affine view",
    "scattered write",
    "needed elsewhere",
    "scan loop",
    "deterministic",
    "too large",
    "repeated work",
    "across memory",
    "size not known",
    "library call",
    "own kernels",
    "no loop",
    "takes in nothing",
    "in another launch",
    "also computes",
    "several readers",
    "two operands",
    "result",
    "slower as one",
    "not possible as one",
    "attention kept",
    "no attention",
]


class Reason(str):
    """The sentence of a reason, with its kind."""

    kind: RefusalKind
    __slots__ = ("kind",)

    def __new__(cls, kind: RefusalKind, sentence: str) -> "Reason":
        """`sentence` begins with a small letter and has no full stop."""
        new = super().__new__(cls, sentence)
        new.kind = kind
        return new
