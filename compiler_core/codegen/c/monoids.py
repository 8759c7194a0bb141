"""The monoids in C: accumulator types, identities, combination, OpenMP clause."""

from dataclasses import dataclass

from compiler_core.codegen.c.mathematics import function_name
from compiler_core.codegen.c.types import literal, register_type, unsigned_type
from compiler_core.ir.monoids import MONOIDS, Extremum, for_dtype
from compiler_core.ir.types import BOOL, F32, I32, DType
from compiler_core.schedule.cpu.schedule import register

_OPERATORS = {"add": "+", "multiply": "*", "and": "&", "or": "|"}

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Monoid:
    """`types` and `identities` have an entry for each component. `combine` are the statements that
    combine the values {x0}, {x1}, ... into the accumulators {a0}, {a1}, ..., with local variables
    that begin with {n}; `step` is a cheaper form for the next element in order.

    `clause` is the operator in reduction(...), "" for a tuple. `upcast` is the type in which
    partial results of long reductions are added up, "" if none is needed. `nan` is the result of an
    extremum that has seen a NaN: in a vectorised loop it is combined by `ordered`, a single
    instruction that ignores NaN, together with an integer that remembers whether there was one.
    """

    types: tuple[str, ...]
    identities: tuple[str, ...]
    combine: Lines
    clause: str = ""
    upcast: str = ""
    nan: str = ""
    ordered: str = ""
    step: Lines = ()
    branch: Lines = ()
    # Whether the next element changes what is combined, into {n}_taken.
    search: Lines = ()


def monoid(name: str, dtypes: tuple[DType, ...]) -> Monoid:
    """The monoid `name` for values of `dtypes`."""
    if len(dtypes) > 1:
        return _tuple(name, dtypes)
    (dtype,) = dtypes
    if dtype is BOOL:
        name = for_dtype(name, dtype)
        operator = _OPERATORS[name]
        identity = literal(MONOIDS[name].identity(dtype)[0], dtype)
        return Monoid(("unsigned char",), (identity,), (f"{{a0}} {operator}= {{x0}};",), operator)
    if name in ("maximum", "minimum"):
        return _extremum(name, dtype)
    operator = _OPERATORS[name]
    combine = f"{{a0}} {operator}= {{x0}};"
    (identity_value,) = MONOIDS[name].identity(dtype)
    if dtype.is_float:
        computed = register(dtype)
        upcast = "double" if computed is F32 else ""
        identity = literal(identity_value, computed)
        return Monoid((register_type(dtype),), (identity,), (combine,), operator, upcast)
    kind = unsigned_type(dtype) if dtype.bits >= 32 else "unsigned"
    # All bits, as an unsigned accumulator of any width has them.
    identity = "-1" if name == "and" else str(identity_value)
    return Monoid((kind,), (identity,), (combine,), operator)


def _extremum(name: str, dtype: DType) -> Monoid:
    short, sign, kind = name[:3], ">" if name == "maximum" else "<", register_type(dtype)
    ordered = f"{{a0}} = {{x0}} {sign} {{a0}} ? {{x0}} : {{a0}};"
    identity = literal(MONOIDS[name].identity(dtype)[0], dtype)
    if dtype.is_float:
        whole = f"{{a0}} = {short}_{register(dtype)}({{a0}}, {{x0}});"
        nan = literal(float("nan"), dtype)
        return Monoid((kind,), (identity,), (whole,), short, nan=nan, ordered=ordered)
    return Monoid((kind,), (identity,), (ordered,), short)


# -- tuples


def _tuple(name: str, dtypes: tuple[DType, ...]) -> Monoid:
    computed = register(dtypes[0])
    suffix = "f" if computed.name == "f32" else ""
    # A second word is one of several walks of a block.
    base, _, walk = name.partition(" ")
    kept = MONOIDS[base].extremum
    combine, step = _indexed(kept, base, dtypes[0]) if kept else _BY_NAME[name]
    search = _search(kept, dtypes[0]) if kept and kept.last else ()
    if walk == "search":
        combine, step = search, search
    identity = MONOIDS[base].identity(dtypes[0])
    exp = function_name("exp", computed)
    words = {"{T}": register_type(computed), "{t}": str(computed), "{f}": suffix, "{exp}": exp}
    identities = zip(identity, dtypes, strict=True)
    return Monoid(
        types=tuple("unsigned char" if t is BOOL else register_type(t) for t in dtypes),
        identities=tuple(literal(value, t) for value, t in identities),
        combine=_with(words, combine),
        step=_with(words, step),
        branch=_latest(kept, dtypes[0]) if kept and kept.last and not walk else (),
        search=search,
    )


def _with(words: dict[str, str], lines: Lines) -> Lines:
    for short, word in words.items():
        lines = tuple(line.replace(short, word) for line in lines)
    return lines


_TAKE = (
    "{a0} = {n}_take ? {x0} : {a0};",
    "{a1} = {n}_take ? {x1} : {a1};",
)


def _indexed(kept: Extremum, name: str, dtype: DType) -> tuple[Lines, Lines]:
    """The cheaper step of an arg-max: as indices only rise, the first of equal elements is kept;
    only the identity must yield to an equal element."""
    sign, side = (">", "above") if kept.largest else ("<", "below")
    beyond, same = f"{{x0}} {sign} {{a0}}", "({x0} == {a0})"
    if dtype.is_float:
        beyond, same = f"{side}_{{t}}({{x0}}, {{a0}})", "same_{t}({x0}, {a0})"
    none = literal(MONOIDS[name].identity(dtype)[1], I32)
    nearer = f"{{x1}} {'>' if kept.last else '<'} {{a1}}"
    next_ = same if kept.last else f"{{a1}} == {none}"
    combine = f"_Bool {{n}}_take = {beyond} | ({same} & ({nearer}));"
    return (combine, *_TAKE), (f"_Bool {{n}}_take = {beyond} | ({next_});", *_TAKE)


def _search(kept: Extremum, dtype: DType) -> Lines:
    return (f"{{n}}_taken |= {_takes(kept, dtype)};",)


def _takes(kept: Extremum, dtype: DType) -> str:
    """An element that is not beaten takes the place."""
    beaten = f"({{x0}} {'<' if kept.largest else '>'} {{a0}})"
    number = " & (({a0} == {a0}) | ({x0} != {x0}))" if dtype.is_float else ""
    return f"!{beaten}{number}"


def _latest(kept: Extremum, dtype: DType) -> Lines:
    """That an element takes the place is seldom."""
    return (
        f"if (__builtin_expect({_takes(kept, dtype)}, 0)) {{{{",
        "    {a0} = {x0};",
        "    {a1} = {x1};",
        "}}",
    )


_OF_LATEST = ("_Bool {n}_take = {x0} > {a0};", *_TAKE)
_BY_NAME: dict[str, tuple[Lines, Lines]] = {
    "latest": (_OF_LATEST, _OF_LATEST),
    "welford": (
        (
            # As wide as the accumulators.
            "__auto_type {n}_count = {a2} + {x2};",
            "__auto_type {n}_away = {x0} - {a0};",
            "__auto_type {n}_share = {n}_count > 0 ? {x2} / {n}_count : 0;",
            # An infinite one stays the mean.
            "{a0} = {n}_away - {n}_away == 0 ? {a0} + {n}_away * {n}_share : {a0} + {x0};",
            "{a1} += {x1} + {n}_away * {n}_away * {a2} * {n}_share;",
            "{a2} = {n}_count;",
        ),
        (
            "{T} {n}_away = {x0} - {a0};",
            "{a2} += 1;",
            "{a0} = {n}_away - {n}_away == 0 ? {a0} + {n}_away / {a2} : {a0} + {x0};",
            "{a1} += {n}_away * ({x0} - {a0});",
        ),
    ),
    # The two walks of a block that is in cache (codegen/c/moments.py).
    "welford sum": (("{a0} += {x0};",), ()),
    "welford squares": (("{T} {n}_away = {x0} - {a0};", "{a1} += {n}_away * {n}_away;"), ()),
    "complex_product": (
        (
            "__auto_type {n}_real = {a0} * {x0} - {a1} * {x1};",
            "{a1} = {a0} * {x1} + {a1} * {x0};",
            "{a0} = {n}_real;",
        ),
        (),
    ),
    "online_softmax": (
        (
            "{T} {n}_ratio = {x0} == {a0} ? 1 : {exp}(-__builtin_fabs{f}({x0} - {a0}));",
            "{a1} = {x0} > {a0} ? {a1} * {n}_ratio + {x1} : {a1} + {x1} * {n}_ratio;",
            "{a0} = max_{t}({a0}, {x0});",
        ),
        (),
    ),
}
