"""The sums of a convolution's tile in C, in vectors that registers hold. Left to the vectorizer, an
array of the sums of few features goes through memory at every term.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from compiler_core.codegen.c.marks import is_mark
from compiler_core.codegen.c.types import lanes, memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import DType
from compiler_core.schedule.cpu.direct import FEATURES, SUMS

# The text that a file with convolutions has once.
HELPER = f"""\
// Features of a convolution's tile, and how many sums registers hold.
#ifdef __AVX512F__
enum {{ MOST_FEATURES = {FEATURES}, F32_SUMS = {SUMS}, F64_SUMS = {SUMS // 2} }};
#else
enum {{ MOST_FEATURES = {FEATURES // 2}, F32_SUMS = {SUMS // 4}, F64_SUMS = {SUMS // 8} }};
#endif
"""


@dataclass(frozen=True)
class Terms:
    """The products that a tile sums: for each of `channels` channels c, `window` positions k and
    features f, the image's elements at the address `image` times the kernel's element at the offset
    `kernel` (C expressions). `counter` is the C type of c."""

    dtype: DType
    channels: Dim
    window: int
    image: str
    kernel: str
    counter: str
    origins: tuple[int, ...]


def most_sums(dtype: DType) -> str:
    """The C constant for the largest number of sums in a tile."""
    return f"{dtype.name.upper()}_SUMS"


def in_vectors(w: Writer, x: Terms) -> None:
    """Writes the computation of sum[features, places] in vectors; `places` is a multiple of their
    lanes."""
    line = f"{x.dtype.name}_line"
    w.line(f"const int many = places / {lanes(x.dtype)};", x.origins)
    w.line(f"{line} held[{most_sums(x.dtype)} / {lanes(x.dtype)}] = {{0}};", x.origins)
    with _loops(w, x):
        w.line(f"#pragma GCC unroll {FEATURES}")
        w.line("for (int f = 0; f < features; f++) {", x.origins)
        with w.indent():
            w.line(f"{memory_type(x.dtype)} y = kernel[{x.kernel}];", x.origins)
            w.line(f"#pragma GCC unroll {_MOST}")
            term = f"held[f * many + j] += y * (({line} *)x)[j];"
            w.line(f"for (int j = 0; j < many; j++) {term}", x.origins)
        w.line("}")
    size = f"{memory_type(x.dtype)} sum[{most_sums(x.dtype)}] __attribute__((aligned(64)));"
    w.line(size, x.origins)
    w.line(f"#pragma GCC unroll {_MOST}")
    store = f"(({line} *)sum)[j] = held[j];"
    w.line(f"for (int j = 0; j < features * many; j++) {store}", x.origins)


def without_marks(w: Writer, x: Terms) -> None:
    """Writes the computation of sum[features, places] for an image with sentinels (marks.py), whose
    products are left out."""
    w.line(f"{memory_type(x.dtype)} sum[{most_sums(x.dtype)}] = {{0}};", x.origins)
    with _loops(w, x):
        w.line("for (int f = 0; f < features; f++) {", x.origins)
        with w.indent():
            w.line(f"{memory_type(x.dtype)} y = kernel[{x.kernel}];", x.origins)
            w.line("#pragma omp simd")
            term = f"{is_mark('x[j]', x.dtype)} ? 0 : y * x[j];"
            w.line(f"for (int j = 0; j < places; j++) sum[f * places + j] += {term}", x.origins)
        w.line("}")


# The most vectors of a tile.
_MOST = SUMS // 16


@contextmanager
def _loops(w: Writer, x: Terms) -> Iterator[None]:
    """Over the channels and the window, with x as the image's elements."""
    w.line(f"for ({x.counter} c = 0; c < {x.channels}; c++)", x.origins)
    with w.indent():
        w.line(f"for (int k = 0; k < {x.window}; k++) {{", x.origins)
        with w.indent():
            w.line(f"const {memory_type(x.dtype)} *x = image + {x.image};", x.origins)
            yield
        w.line("}")
