"""Marks in the copy of an image that a convolution reads, where the image has no element.

Padding and gaps are zeros, which are multiplied as any element is. Where they must be left out of
the sum and a weight is infinite or NaN, which the function tests first, they are marks instead:
NaNs all of whose bits are set. A NaN of the image is copied as another one.
"""

from compiler_core.codegen.c.types import loaded, memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.types import F64, DType
from compiler_core.plan.convolution import ConvolutionStep


def look(w: Writer, step: ConvolutionStep) -> None:
    """Defines the C variable `marks`: whether a weight is infinite or NaN."""
    header = f"for (long i = 0; i < {step.rhs.buffer.type.elements}; i++)"
    w.line("// Where a weight is no finite number, edges and gaps are left out.")
    w.line("int marks = 0;", step.origins)
    weight = loaded(step.dtype, "rhs[i]")
    w.line(f"{header} marks |= !({weight} - {weight} == 0);", step.origins)


def is_mark(value: str, dtype: DType) -> str:
    """Whether an element of the copy is a mark."""
    whole, kind = ("long", "double") if dtype is F64 else ("int", "float")
    return f"((union {{ {kind} value; {whole} bits; }}){{ {value} }}).bits == -1"


def unmarked(element: str, dtype: DType) -> str:
    """An element of the image, as a number or NaN that is no mark."""
    return f'{element} == {element} ? {element} : ({memory_type(dtype)})__builtin_nan("")'
