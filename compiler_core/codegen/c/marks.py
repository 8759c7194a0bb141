"""Sentinels ("marks") in the padded copy of an image that a convolution reads, where the image has
no element.

Padding, and gaps between dilated elements, are normally zeros that are multiplied like any element.
That is wrong where such products must be left out and a weight is infinite or NaN, since 0 * inf is
NaN. The function tests the weights first; if one is, it writes a sentinel there instead of 0: the
NaN all of whose bits are set. Other NaNs of the image are copied with other bits.
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
    """The C condition that an element of the copy is the sentinel."""
    whole, kind = ("long", "double") if dtype is F64 else ("int", "float")
    return f"((union {{ {kind} value; {whole} bits; }}){{ {value} }}).bits == -1"


def unmarked(element: str, dtype: DType) -> str:
    """The C expression of an element of the image, with the sentinel's bits changed to those of
    another NaN."""
    return f'{element} == {element} ? {element} : ({memory_type(dtype)})__builtin_nan("")'
