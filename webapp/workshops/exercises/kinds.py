"""The kinds of checks as `[[check]]` of an exercise.toml has them, and what each wants in words."""

from typing import Annotated

import msgspec
from msgspec import Meta

from compiler_core import report

Count = Annotated[int, Meta(ge=0)]
Size = Annotated[float, Meta(gt=0)]
# Of one call, as the options of a run have them.
Arguments = Annotated[str, Meta(min_length=1, max_length=400)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]


class _Check(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """A table `[[check]]`; its kind is the tag."""


class _Counted(_Check, frozen=True):
    """Something that one compiler's program has at most so many of."""

    at_most: Count
    compiler: report.Compiler = "core"


class Kernels(_Counted, frozen=True, tag="kernels"):
    """Launches in a call, library calls included."""


class GraphBreaks(_Counted, frozen=True, tag="graph_breaks"):
    """Places where Python goes on between graphs."""


class LibraryCalls(_Counted, frozen=True, tag="library_calls"):
    """Launches of a vendor's library."""


class Bytes(_Counted, frozen=True, tag="bytes"):
    """Bytes that the launches of a call read and write."""


class Recompiles(_Check, frozen=True, tag="recompiles"):
    """Compilations of the same code again, as TorchDynamo or JAX has them: over the calls `over` of
    `function`."""

    at_most: Count
    function: Annotated[str, Meta(pattern=r"^[A-Za-z]\w{0,79}$")]
    over: Annotated[list[Arguments], Meta(min_length=1, max_length=8)]


class Speedup(_Check, frozen=True, tag="speedup"):
    """Eager's median over the compiler's."""

    at_least: Size
    compiler: report.Compiler = "core"


class Error(_Check, frozen=True, tag="error"):
    """The largest relative error of any output against float64."""

    at_most: Size
    compiler: report.Compiler = "core"


class Fused(_Check, frozen=True, tag="fused"):
    """Two operations in one kernel of the core; by the framework's names, such as "exp" or
    "aten.sum", or by the IR's, such as "reduce_add"."""

    a: Name
    b: Name


class Operation(_Check, frozen=True, tag="operation"):
    """An operation that the program has, by a name as of Fused: where another way gives the same
    numbers."""

    name: Name


class Equal(_Check, frozen=True, tag="equal"):
    """The outputs of the exercise's call are those that it has in reference.py, over numbers that
    nobody knows; apart by at most `tolerance` of the largest value."""

    tolerance: Size = 1e-4


Check = (
    Kernels
    | GraphBreaks
    | LibraryCalls
    | Bytes
    | Recompiles
    | Speedup
    | Error
    | Fused
    | Operation
    | Equal
)

# Of each kind by its name, how it is written; an author who mistook one is shown it.
EXAMPLES = {
    "kernels": 'kind = "kernels", at_most = 1',
    "graph_breaks": 'kind = "graph_breaks", at_most = 0',
    "library_calls": 'kind = "library_calls", at_most = 0',
    "bytes": 'kind = "bytes", at_most = 16_777_216',
    "recompiles": 'kind = "recompiles", at_most = 0, function = "f", over = ["f32[8]", "f32[9]"]',
    "speedup": 'kind = "speedup", at_least = 1.5',
    "error": 'kind = "error", at_most = 1e-5',
    "fused": 'kind = "fused", a = "exp", b = "sum"',
    "operation": 'kind = "operation", name = "cond"',
    "equal": 'kind = "equal", tolerance = 1e-4',
}
