"""Flushing denormal numbers to zero, for programs whose framework does.

XLA sets this mode on the threads of its CPU client (tsl::port::ScopedFlushDenormal): `exp(-95.)` is
0 there, and so is `1e-40 + 0`. Processors take a hundred times longer for a product with a denormal
factor, and the gradient of a sharp softmax consists of such products
(docs/decisions/0040-denormal-numbers.md).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from compiler_core.codegen.c.helper import Helper
from compiler_core.codegen.writer import Writer

FLUSHED = "flush_denormals("

# The mode is each thread's own, and the threads are shared with whoever uses OpenMP in the process:
# it is set for a call, and put back. On x86-64 it is in MXCSR: bit 15 flushes results, bit 6 takes
# operands as zeros; on AArch64 bit 24 of FPCR does both. What a program is linked with gives the
# threads of each region the mode of its own (runtime/spread.c), and says so by TAKES_MODE.
TAKES_MODE = "THREADS_TAKE_THE_MODE"
MODES = """\
#if defined(__x86_64__)
#define FP_MODE() __builtin_ia32_stmxcsr()
#define SET_FP_MODE(mode) __builtin_ia32_ldmxcsr(mode)
#define DENORMALS_ARE_ZEROS 0x8040
#elif defined(__aarch64__)
#define FP_MODE() __builtin_aarch64_get_fpcr()
#define SET_FP_MODE(mode) __builtin_aarch64_set_fpcr(mode)
#define DENORMALS_ARE_ZEROS (1 << 24)
#else
#define FP_MODE() 0
#define SET_FP_MODE(mode) ((void)(mode))
#define DENORMALS_ARE_ZEROS 0
#endif
"""
SET_MODE = Helper(
    "",
    "set_fp_mode(unsigned mode, int threads)",
    f"""\
#ifndef {TAKES_MODE}
    #pragma omp parallel num_threads(threads) if(threads > 1)
#endif
    SET_FP_MODE(mode);
""",
)
HELPER = f"""\
{MODES}
{SET_MODE.text}
// Returns the mode as it was.
static unsigned flush_denormals(int threads) {{
    unsigned mode = FP_MODE();
    set_fp_mode(mode | DENORMALS_ARE_ZEROS, threads);
    return mode;
}}"""


@contextmanager
def flushed(w: Writer, wanted: bool, threads: str) -> Iterator[None]:
    """If `wanted`, the code that is written within the context flushes denormal numbers to zero, on
    as many threads as the C expression `threads` says."""
    if wanted:
        w.line(f"unsigned mode = {FLUSHED}{threads});")
    yield
    if wanted:
        w.line(f"set_fp_mode(mode, {threads});")
