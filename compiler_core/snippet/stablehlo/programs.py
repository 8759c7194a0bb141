"""The programs of a snippet that is a StableHLO module: its public functions, with inputs by their
types."""

import re
from typing import Any

from compiler_core.errors import at_line
from compiler_core.interop.mlir_dtypes import FRAMEWORK
from compiler_core.report import Notice, Noticed, Options
from compiler_core.snippet.output import Emit
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.specs import with_values
from compiler_core.snippet.stablehlo.call import callable_of
from compiler_core.snippet.stablehlo.module import Function, Module, Type
from compiler_core.snippet.stablehlo.read import numpy_dtype, read

_TYPED = (
    "a StableHLO function says the types of its arguments itself: the inputs {} are not used, and "
    "random values of these types are"
)
_WIDE = re.compile(r"tensor<(?:\d+x)*(?:complex<f64>|u?i64|f64)>")


def programs_of(text: str, options: Options, emit: Emit) -> tuple[FoundProgram, ...]:
    """The programs of a module's text. Raises SnippetError if it cannot be parsed."""
    module = read(text)
    if options.inputs.strip():
        emit(Noticed(Notice("warning", _TYPED.format(f"`{options.inputs}`"))))
    allow_wide(text)
    return tuple(_program(module, each) for each in module.public())


def allow_wide(text: str) -> None:
    """Enables 64-bit types in JAX if the module has them; JAX would reduce them to 32 bits
    otherwise."""
    if _WIDE.search(text):
        import jax

        jax.config.update("jax_enable_x64", True)


def type_of(array: Any) -> Type:
    """The type that a module has for a jax.Array."""
    names = [name for name, dtype in FRAMEWORK.items() if dtype == str(array.dtype)]
    return Type(tuple(array.shape), names[0] if names else str(array.dtype))


def _program(module: Module, function: Function) -> FoundProgram:
    with at_line(function.line):
        abstract = tuple(_abstract(each) for each in function.body.types)
    values = with_values(abstract, "jax", "cpu")
    call = callable_of(module, function)
    return FoundProgram(function.name, "jax", function.line, call, values)


def _abstract(type_: Type) -> Any:
    import jax

    return jax.ShapeDtypeStruct(type_.shape, numpy_dtype(type_))
