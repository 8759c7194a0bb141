"""The C functions that generated code calls; each is printed only where it is used.

f32 functions that dominate run times are inline (polynomials.py); the others are the C library's,
declared so that glibc's vector versions are used.
"""

import re
from collections.abc import Iterator

from compiler_core.codegen.c.order import ORDER
from compiler_core.codegen.c.polynomials import FUNCTIONS
from compiler_core.codegen.c.storage import STORAGE
from compiler_core.codegen.c.turning import FUNCTIONS as TURNED
from compiler_core.codegen.c.types import register_type, unsigned_type
from compiler_core.ir.types import DTYPES, DType

VECTOR_MATH = """\
// The C library has vector versions of the functions declared so.
#if defined __x86_64__ && !defined SCALAR_MATH
#define SIMD_MATH __attribute__((simd("notinbranch"), const))
#else
#define SIMD_MATH __attribute__((const))
#endif
"""

_UNARY = ("exp", "expm1", "log", "log1p", "tanh", "sin", "cos", "tan", "erf", "erfc", "cbrt")
_BINARY = ("pow", "atan2")


def _library() -> Iterator[tuple[str, str]]:
    for name in _UNARY:
        yield name, f"SIMD_MATH double {name}(double);\n"
        yield f"{name}f", f"SIMD_MATH float {name}f(float);\n"
    for name in _BINARY:
        yield name, f"SIMD_MATH double {name}(double, double);\n"
        yield f"{name}f", f"SIMD_MATH float {name}f(float, float);\n"
    yield "fmod", "__attribute__((const)) double fmod(double, double);\n"
    yield "fmodf", "__attribute__((const)) float fmodf(float, float);\n"


_EXTREMUM = """\
static inline {c} {name}_{t}({c} a, {c} b) {{
    {c} found = a {sign} b ? a : b;
    return a != a ? a : found;
}}
"""

# Whether x is more extreme than a, where NaN is more extreme than any number; and whether both are
# equal.
_BEYOND = """\
static inline _Bool {name}_{t}({c} x, {c} a) {{ return !(x {sign} a) & (a == a); }}
"""
_SAME = """\
static inline _Bool same_{t}({c} x, {c} a) {{ return (x == a) | ((x != x) & (a != a)); }}
"""

_LOGISTIC = """\
// Of e^-|x|, which does not overflow.
static inline {c} logistic_{t}({c} x) {{
    {c} e = {exp}(-__builtin_fabs{f}(x));
    return (x < 0 ? e : 1) / (1 + e);
}}
"""

_ROUND = """\
// Half away from zero. The largest number below 1/2, so that its own sum stays below 1.
static inline {c} round_{t}({c} x) {{
    return __builtin_trunc{f}(x + __builtin_copysign{f}({half}, x));
}}
"""

# An integer division by zero is -1 (all bits set) and its remainder the dividend, as in XLA;
# the processor would stop the program instead. Neither does the least number over -1 stop it.
_DIVIDE_SIGNED = """\
static inline {c} divide_{t}({c} a, {c} b) {{
    return b == 0 ? -1 : b == -1 ? ({c})-({u})a : a / b;
}}
"""
_REMAINDER_SIGNED = """\
static inline {c} remainder_{t}({c} a, {c} b) {{ return b == 0 ? a : b == -1 ? 0 : a % b; }}
"""
_DIVIDE_UNSIGNED = """\
static inline {c} divide_{t}({c} a, {c} b) {{ return b == 0 ? ({c})-1 : a / b; }}
"""
_REMAINDER_UNSIGNED = """\
static inline {c} remainder_{t}({c} a, {c} b) {{ return b == 0 ? a : a % b; }}
"""
_POWER_INTEGER = """\
static inline {c} power_{t}({c} x, {c} n) {{
    {unsigned} square = ({unsigned})x, result = 1;
    if (n < 0) return x == 1 ? 1 : x == ({c})-1 ? (n & 1 ? -1 : 1) : 0;
    for (; n; n >>= 1, square *= square) result = n & 1 ? result * square : result;
    return ({c})result;
}}
"""


def _integers(dtype: DType) -> Iterator[tuple[str, str]]:
    signed = dtype.kind == "int"
    unsigned = unsigned_type(dtype) if dtype.bits >= 32 else "unsigned"
    words = {"c": register_type(dtype), "t": dtype, "u": unsigned_type(dtype), "unsigned": unsigned}
    yield f"divide_{dtype}", (_DIVIDE_SIGNED if signed else _DIVIDE_UNSIGNED).format(**words)
    remainder = _REMAINDER_SIGNED if signed else _REMAINDER_UNSIGNED
    yield f"remainder_{dtype}", remainder.format(**words)
    power = _POWER_INTEGER.format(**words)
    if not signed:
        power = "".join(x for x in power.splitlines(keepends=True) if "n < 0" not in x)
    yield f"power_{dtype}", power


def _floats(t: str, c: str, f: str) -> Iterator[tuple[str, str]]:
    exp = "exp_f32" if t == "f32" else "exp"
    half = "0.49999997f" if t == "f32" else "0.49999999999999994"
    yield f"max_{t}", _EXTREMUM.format(name="max", sign=">", t=t, c=c)
    yield f"min_{t}", _EXTREMUM.format(name="min", sign="<", t=t, c=c)
    yield f"above_{t}", _BEYOND.format(name="above", sign="<=", t=t, c=c)
    yield f"below_{t}", _BEYOND.format(name="below", sign=">=", t=t, c=c)
    yield f"same_{t}", _SAME.format(t=t, c=c)
    yield f"logistic_{t}", _LOGISTIC.format(t=t, c=c, f=f, exp=exp)
    yield f"round_{t}", _ROUND.format(t=t, c=c, f=f, half=half)


HELPERS: dict[str, str] = dict(_library())
HELPERS |= dict(_floats("f32", "float", "f")) | dict(_floats("f64", "double", ""))
for _dtype in DTYPES.values():
    if _dtype.is_integer:
        HELPERS |= dict(_integers(_dtype))
HELPERS |= STORAGE | FUNCTIONS | ORDER | TURNED

_LIBRARY = frozenset(name for name, _ in _library())
_C_NAMES = {"power": "pow", "remainder": "fmod"}


def function_name(function: str, dtype: DType) -> str:
    """The C function with that meaning for `dtype`: one of ours, else the C library's."""
    own = f"{function}_{dtype}"
    if own in HELPERS:
        return own
    return _C_NAMES.get(function, function) + ("f" if dtype.name == "f32" else "")


def used(text: str) -> list[str]:
    """The texts of the helpers that `text` needs, callees first."""
    needed: set[str] = set()
    pending = [text]
    while pending:
        found = _words(pending.pop()) & HELPERS.keys() - needed
        needed |= found
        pending += [HELPERS[name] for name in found]
    texts = [HELPERS[name] for name in _order(needed)]
    return [VECTOR_MATH, *texts] if needed & _LIBRARY else texts


def _words(text: str) -> set[str]:
    """Identifiers outside comments."""
    return set(re.findall(r"\b[a-z]\w*\b", re.sub(r"//.*", "", text)))


def needs_library(text: str) -> bool:
    """Whether `text` must be linked with the C library's mathematics."""
    return "SIMD_MATH" in text or "fmod" in text


def _order(names: set[str]) -> list[str]:
    """Callees before callers."""
    done: list[str] = []

    def visit(name: str) -> None:
        for word in sorted(_words(HELPERS[name])):
            if word in HELPERS and word != name and word not in done:
                visit(word)
        if name not in done:
            done.append(name)

    for name in sorted(names, key=list(HELPERS).index):
        visit(name)
    return done
