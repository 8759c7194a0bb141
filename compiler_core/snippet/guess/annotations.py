"""What a parameter's annotation says about its value.

Known are Python's types, both frameworks' tensors, `list[Tensor]`, `Tensor | None`, dataclasses and
classes of the snippet, a text that is a spec ("f32[8,64]"), and jaxtyping's `Float[Tensor, "b n"]`,
whose names of dimensions are sizes (https://docs.kidger.site/jaxtyping/api/array/).
"""

import inspect
import types
import typing
from dataclasses import dataclass
from typing import Any

from compiler_core.inputs import BYTES, InputsError, InputSpec, calls
from compiler_core.interop.names import name_of
from compiler_core.snippet.guess.hints import sizes_of

# jaxtyping's names for several types; its other names are numpy's.
_ANY = {"int": "i64", "integer": "i64", "uint": "u8", "key": "u32"}
# The shape of a random key's words.
_WORDS = {"key": (2,)}


@dataclass(frozen=True)
class Annotation:
    """The meaning of an annotation. `kind` is tensor, int, float, bool, str, list, class, or "" for
    nothing; `spec` is a tensor's type and shape, `element` the elements of a list, `parts` those of
    a tuple that says how many it has, `cls` a class."""

    kind: str = ""
    spec: InputSpec | None = None
    element: "Annotation | None" = None
    parts: "tuple[Annotation, ...]" = ()
    cls: type | None = None
    dtype: str = ""


def annotation_of(annotation: Any) -> Annotation:
    """The meaning of an annotation, which may be a string; of a union, that of its first member."""
    if annotation is inspect.Parameter.empty or annotation is None:
        return Annotation()
    if isinstance(annotation, str):
        return _of_text(annotation)
    if _is_jaxtyping(annotation):
        return _of_jaxtyping(annotation)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return next((annotation_of(a) for a in arguments if a is not type(None)), Annotation())
    if origin is typing.Annotated:
        return annotation_of(arguments[0])
    if origin in (list, tuple, typing.Sequence) or str(origin).endswith("abc.Sequence'>"):
        each = tuple(annotation_of(a) for a in arguments if a is not Ellipsis)
        parts = each if origin is tuple and Ellipsis not in arguments else ()
        return Annotation("list", element=each[0] if each else Annotation("tensor"), parts=parts)
    if annotation in (int, float, bool, str):
        return Annotation(annotation.__name__)
    if _is_tensor(annotation):
        return Annotation("tensor")
    return Annotation("class", cls=annotation) if inspect.isclass(annotation) else Annotation()


def _is_tensor(annotation: Any) -> bool:
    package = str(getattr(annotation, "__module__", "")).partition(".")[0]
    # JAX's own array has the name of its module before it.
    name = str(getattr(annotation, "__name__", "")).rpartition(".")[2]
    return package in ("torch", "jax", "jaxlib", "numpy") and name in (
        "Tensor", "FloatTensor", "LongTensor", "Array", "ndarray", "Parameter", "ArrayLike",
    )  # fmt: skip


def _of_text(text: str) -> Annotation:
    """A spec, or the name of a type that was not resolved."""
    try:
        (call,) = calls(text)
        if isinstance(call.inputs.positional[0], InputSpec):
            return Annotation("tensor", call.inputs.positional[0])
    except (InputsError, ValueError, IndexError):
        pass
    dtype = text.partition("[")[0].strip()
    if dtype in BYTES:
        return Annotation("tensor", dtype=dtype)
    last = text.rpartition(".")[2]
    known = {"Tensor": "tensor", "Array": "tensor", "ndarray": "tensor"}
    return Annotation(known.get(last, last if last in ("int", "float", "bool", "str") else ""))


def _is_jaxtyping(annotation: Any) -> bool:
    return hasattr(annotation, "dim_str") and hasattr(annotation, "dtypes")


def _of_jaxtyping(annotation: Any) -> Annotation:
    name = str(getattr(annotation, "dtype", annotation).__name__).lower()
    dtype = _ANY.get(name) or name_of(name) or "f32"
    dims = [_dimension(part) for part in annotation.dim_str.split()]
    sizes = sizes_of([dim for dim, _ in dims])
    shape = tuple(size + more for size, (_, more) in zip(sizes, dims, strict=True))
    return Annotation("tensor", InputSpec(dtype, (*shape, *_WORDS.get(name, ()))))


def _dimension(part: str) -> tuple[str, int]:
    """The name of one dimension, or its number, and what is added to it: of a name, a number, `#b`
    (that broadcasts), `*b` and `...` (any number: one here), `name=4`, `name+1`."""
    part = part.lstrip("*#?_").rpartition("=")[2]
    name, plus, more = part.partition("+")
    return (name, int(more)) if plus and more.isdigit() else (part, 0)
