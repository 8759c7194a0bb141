"""Parses a module's text by jaxlib's MLIR bindings, which are private to JAX; this file has all
uses of them."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from compiler_core.errors import SnippetError
from compiler_core.interop.mlir_dtypes import FRAMEWORK
from compiler_core.snippet.stablehlo.module import Function, Module, Operation, Region, Type

# Locations in the text, which are left out: its own lines are what is shown.
_ALIAS = re.compile(r"^#loc\d* = loc\(.*\)$", re.MULTILINE)
_LOCATION = re.compile(r" loc\((?:#loc\d*|unknown|\"[^\"\n]*\"(?::\d+:\d+)?(?:\([^()\n]*\))?)\)")
_PLACE = re.compile(r'"-":(\d+):(\d+)')
_PREFIX = re.compile(r'^(?:loc\()?"-":\d+:\d+\)?:\s*')
_DENSE = re.compile(r"dense<(.*)> : tensor<", re.DOTALL)
_ARRAYS = "give and return arrays alone, tensor<4xf32> for example"
_CONVERT = "convert to a type that is compiled, such as f32 or i8, before this operation"
_ONE = "write branches and loops as stablehlo.case and stablehlo.while"
_REMEDY = "paste the text of a module as `jax.jit(f).lower(x).as_text()` prints it"


def read(text: str) -> Module:
    """The module. Raises SnippetError, with the line, if the text is no valid StableHLO."""
    from compiler_core.snippet.stablehlo.private import ir, make_ir_context

    plain = without_locations(text)
    with make_ir_context() as context, ir.Location.unknown(context):
        try:
            parsed = ir.Module.parse(plain)
        except Exception as error:
            raise _unreadable(error) from None
        return _Reader(ir).module(parsed)


def without_locations(text: str) -> str:
    """The text, line by line, without its locations."""
    return _LOCATION.sub("", _ALIAS.sub("", text))


def _unreadable(error: Exception) -> SnippetError:
    """The parser's first complaint, with its line."""
    message = next((t for t in str(error).splitlines() if "error:" in t), str(error))
    line, _ = _place(message) or (None, 0)
    reason = _PREFIX.sub("", message.split("error:")[-1].strip())
    return SnippetError(f"this StableHLO cannot be read: {reason}", line=line, remedy=_REMEDY)


def _place(location: object) -> tuple[int, int] | None:
    """Line from 1 and column from 0."""
    found = _PLACE.search(str(location))
    return (int(found[1]), int(found[2]) - 1) if found else None


class _Reader:
    """Values get numbers in the order in which they are met."""

    def __init__(self, ir: Any) -> None:
        from compiler_core.snippet.stablehlo.private import hlo

        self._ir, self._numbers = ir, {}
        self._dimensions = [(getattr(hlo, name), fields) for name, fields in _DIMENSIONS.items()]
        self._words = [getattr(hlo, name) for name in _WORDS]

    _numbers: dict[Any, int]

    def module(self, parsed: Any) -> Module:
        functions = (self._function(o) for o in parsed.body.operations if _is_function(o))
        return Module({each.name: each for each in functions})

    def _function(self, operation: Any) -> Function:
        given = operation.attributes
        private = "sym_visibility" in given and given["sym_visibility"].value == "private"
        line, _ = _place(operation.location) or (1, 0)
        name = given["sym_name"].value
        return Function(name, self._region(operation.regions[0], line), line, not private)

    def _region(self, region: Any, line: int) -> Region:
        if len(region.blocks) != 1:
            raise SnippetError(
                "a function of several blocks is not compiled", line=line, remedy=_ONE
            )
        block = region.blocks[0]
        arguments = tuple(self._number(v) for v in block.arguments)
        types = tuple(_type(v.type, line) for v in block.arguments)
        *body, last = block.operations
        return Region(
            arguments,
            types,
            tuple(self._operation(o, line) for o in body),
            tuple(self._number(v) for v in last.operands),
        )

    def _operation(self, operation: Any, around: int) -> Operation:
        line, column = _place(operation.location) or (around, 0)
        name = operation.operation.name
        operands = tuple(self._number(v) for v in operation.operands)
        return Operation(
            name,
            operands,
            tuple(self._number(v) for v in operation.results),
            tuple(_type(v.type, line) for v in operation.results if _is_tensor(v.type)),
            dict(self._attributes(operation, name)),
            tuple(self._region(r, line) for r in operation.regions if len(r.blocks)),
            line,
            column,
        )

    def _number(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _attributes(self, operation: Any, name: str) -> Iterator[tuple[str, Any]]:
        if name.endswith(".constant"):
            yield "value", _constant(operation)
            return
        for key in (getattr(k, "name", k) for k in operation.attributes):
            yield key, self._plain(operation.attributes[key])

    def _plain(self, attribute: Any) -> Any:
        ir = self._ir
        if isinstance(attribute, ir.ArrayAttr):
            return tuple(self._plain(each) for each in attribute)
        if isinstance(attribute, ir.DenseElementsAttr):
            return np.array(attribute)
        if isinstance(attribute, (ir.DenseI64ArrayAttr, ir.DenseBoolArrayAttr)):
            return tuple(attribute)
        for cls, fields in self._dimensions:
            if cls.isinstance(attribute):
                found = cls(attribute)
                return {f: _tuple(getattr(found, f)) for f in fields}
        for cls in self._words:
            if cls.isinstance(attribute):
                return cls(attribute).value
        return getattr(attribute, "value", str(attribute))


_DIMENSIONS = {
    "ConvDimensionNumbers": (
        "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
        "kernel_input_feature_dimension", "kernel_output_feature_dimension",
        "kernel_spatial_dimensions", "output_batch_dimension", "output_feature_dimension",
        "output_spatial_dimensions",
    ),
    "DotDimensionNumbers": (
        "lhs_batching_dimensions", "rhs_batching_dimensions",
        "lhs_contracting_dimensions", "rhs_contracting_dimensions",
    ),
    "GatherDimensionNumbers": (
        "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
        "start_indices_batching_dims", "start_index_map", "index_vector_dim",
    ),
    "ScatterDimensionNumbers": (
        "update_window_dims", "inserted_window_dims", "input_batching_dims",
        "scatter_indices_batching_dims", "scattered_dims_to_operand_dims", "index_vector_dim",
    ),
}  # fmt: skip
_WORDS = ("ComparisonDirectionAttr", "FftTypeAttr", "RngAlgorithmAttr", "TransposeAttr")


def _tuple(value: Any) -> Any:
    return value if isinstance(value, int) else tuple(value)


def _is_function(operation: Any) -> bool:
    return bool(operation.operation.name == "func.func")


def _is_tensor(type_: Any) -> bool:
    return str(type_).startswith("tensor<")


def _type(type_: Any, line: int) -> Type:
    text = str(type_)
    if not _is_tensor(type_):
        raise SnippetError(f"a value of type {text} is not compiled", line=line, remedy=_ARRAYS)
    if any(size < 0 for size in type_.shape):
        remedy = "give every size as a number"
        raise SnippetError(f"{text} has a size that is not known", line=line, remedy=remedy)
    return Type(tuple(type_.shape), str(type_.element_type))


def _constant(operation: Any) -> np.ndarray[Any, Any]:
    """The values of a constant, in the dtype of its element type."""
    type_ = _type(operation.results[0].type, 1)
    dtype = numpy_dtype(type_)
    try:
        found = np.array(operation.attributes["value"])
    except Exception:  # neither complex numbers nor types of 8 and 16 bits can be asked for
        found = _of_text(str(operation), dtype)
    return np.broadcast_to(found.astype(dtype), type_.shape)


def _of_text(text: str, dtype: Any) -> np.ndarray[Any, Any]:
    """The values as the text has them: bits where a number is in base 16, as infinities are."""
    found = _DENSE.search(text)
    if found is None:
        raise SnippetError("a constant cannot be read", remedy=_REMEDY)
    value = ast.literal_eval(found[1].strip() or "[]")
    if isinstance(value, str):
        return np.frombuffer(bytes.fromhex(value.removeprefix("0x")), dtype)
    if np.dtype(dtype).kind != "c":
        return _floats(value, np.dtype(dtype))
    part = np.dtype(f"f{np.dtype(dtype).itemsize // 2}")
    pairs = _floats(value, part)
    return np.asarray(pairs[..., 0] + 1j * pairs[..., 1])


def _floats(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if isinstance(value, (list, tuple)):
        inner = [_floats(each, dtype) for each in value]
        return np.stack(inner) if inner else np.zeros(0, dtype)
    if isinstance(value, int):
        return np.frombuffer(value.to_bytes(dtype.itemsize, "little"), dtype)[0]
    return np.asarray(value, dtype)


def numpy_dtype(type_: Type) -> Any:
    """The numpy dtype of an element type. Raises SnippetError for one that is not compiled."""
    import jax.numpy as jnp

    if type_.element not in FRAMEWORK:
        raise SnippetError(f"elements of type {type_.element} are not compiled", remedy=_CONVERT)
    return jnp.dtype(FRAMEWORK[type_.element])
