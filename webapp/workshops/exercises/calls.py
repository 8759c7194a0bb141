"""Whether somebody's function is compiled again over the calls that an exercise makes of it: those
of their own snippet may be any, and fewer. The snippet that makes them is run as any other, with a
look into TorchDynamo or JAX, and its report says what was compiled again."""

import math
import re

import msgspec

from compiler_core import inputs, report
from webapp.workshops.exercises import reasons
from webapp.workshops.exercises.judging import Seen, again
from webapp.workshops.exercises.kinds import Recompiles

# The program of a snippet that compiles nothing.
_NONE = "nothing_is_compiled"
MOST_ELEMENTS = 1 << 20
TYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool"}
_JAX = re.compile(r"^[ \t]*+(import|from)[ \t]+jax\b", re.MULTILINE)
# Of operations that run outside of what is compiled, so many are named.
_MOST_NAMED = 3
_OUTSIDE = "not all of its work is compiled: what runs outside is "
# What is done to a tensor before it is given to what is compiled, and to what comes of it: it is
# made, read, padded, cut, moved and given another shape or type.
_BESIDE = {
    *("lift_fresh", "lift_fresh_copy", "tensor", "scalar_tensor", "full", "full_like", "zeros"),
    *("zeros_like", "ones", "ones_like", "empty", "arange", "iota", "clone", "detach", "alias"),
    *("copy", "copy_", "_to_copy", "to", "convert_element_type", "constant_pad_nd", "pad", "cat"),
    *("concatenate", "slice", "dynamic_slice", "narrow", "select", "index_select", "split", "view"),
    *("_unsafe_view", "reshape", "expand", "broadcast_in_dim", "unsqueeze", "squeeze", "permute"),
    *("expand_dims", "transpose", "t", "device_put", "_local_scalar_dense"),
}
_INSIDES = {"jax": "jax", "torch": "dynamo"}

# Within a text, for a function at the top would be a program of the snippet. At each moment what is
# compiled does something else: what the snippet itself calls runs as it is, and is compiled from
# the first call of the exercise's on, whose results are kept; when the calls are made once more
# they stand for what is compiled, and what is heard of is what runs outside.
_TOOLS = """
import contextlib, copy, functools
def later(compiled, moment, kept):
    def wrap(function=None, **options):
        if function is None:
            return functools.partial(wrap, **options)
        if isinstance(function, type):
            return compiled(function, **options)
        if hasattr(function, "forward"):
            module = copy.copy(function)
            module.forward = wrap(function.forward, **options)
            return module
        made = []
        @functools.wraps(function)
        def call(*given, **named):
            if moment[0] == "snippet":
                return function(*given, **named)
            if moment[0] == "again":
                if not kept:
                    raise RuntimeError("called once more, it goes another way")
                return kept.pop(0)
            if not made:
                made.append(compiled(function, **options))
            if moment[0] != "calls":
                return made[0](*given, **named)
            moment[0] = "inside"
            try:
                kept.append(made[0](*given, **named))
            finally:
                moment[0] = "calls"
            return kept[-1]
        return call
    return wrap
def in_place(wrap):
    def compile(module, **options):
        module.forward = wrap(module.forward, **options)
    return compile
@contextlib.contextmanager
def hearing_torch(heard):
    from torch.utils._python_dispatch import TorchDispatchMode
    class Hearing(TorchDispatchMode):
        def __torch_dispatch__(self, op, types, given=(), named=None):
            heard(str(op).split(".")[1])
            return op(*given, **(named or {}))
    with Hearing():
        yield
@contextlib.contextmanager
def hearing_jax(heard):
    import jax
    from jax.extend.core import Primitive
    bind = Primitive.bind
    def hearing(primitive, *given, **named):
        heard(primitive.name)
        return bind(primitive, *given, **named)
    Primitive.bind = hearing
    try:
        with jax.disable_jit():
            yield
    finally:
        Primitive.bind = bind
"""
_TEMPLATE = """# inputs: f32[1]
import contextlib, io, sys, types
import numpy as np
_name, _calls, _framework = {name!r}, {calls!r}, {framework!r}
_tools, _moment, _kept, _outside = dict(), ["snippet"], [], dict()
exec(compile({tools!r}, "<snippet>", "exec"), _tools)
if _framework == "jax":
    import jax as _made_by
    import jax.numpy as _arrays
    _made, _hearing = _arrays.asarray, _tools["hearing_jax"]
    _made_by.jit = _tools["later"](_made_by.jit, _moment, _kept)
else:
    import torch as _made_by
    _made, _hearing = _made_by.from_numpy, _tools["hearing_torch"]
    _made_by.compile = _tools["later"](_made_by.compile, _moment, _kept)
    _made_by.nn.Module.compile = _tools["in_place"](_made_by.compile)
_module = types.ModuleType("snippet")
sys.modules["snippet"] = _module
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile({source!r}, "<snippet>", "exec", dont_inherit=True), _module.__dict__)
    if not callable(getattr(_module, _name, None)):
        raise NameError("the snippet has no function " + _name)
    _drawn_calls = [[], []]
    for _all in _drawn_calls:
        for _number, _call in enumerate(_calls):
            _drawn = np.random.default_rng(_number)
            _given = []
            for _dtype, _value in _call:
                if _dtype is not None:
                    _whole = _drawn.integers(0, 2 if _dtype == "bool" else 10, _value)
                    _real = _drawn.standard_normal(_value)
                    _value = np.asarray(_real if _dtype.startswith("float") else _whole, _dtype)
                    _value = _made(_value)
                _given.append(_value)
            _all.append(_given)
    _moment[0] = "calls"
    for _given in _drawn_calls[0]:
        getattr(_module, _name)(*_given)
    _compiled, _moment[0] = bool(_kept), "again"
    with _hearing(lambda op: _outside.setdefault(op)):
        for _given in _drawn_calls[1]:
            getattr(_module, _name)(*_given)
    _moment[0] = "over"
_outside = [_op.lstrip("_") for _op in _outside if not {{_op, _op.lstrip("_")}} & {{*{beside!r}}}]
if _compiled and _outside:
    raise RuntimeError({outside!r} + ", ".join('"' + _op + '"' for _op in _outside[:{most}]))


def {none}(x):
    return x
"""

# A tensor's type and shape; None and a value that is passed as it is.
Given = tuple[str | None, object]


def call(text: str) -> list[Given] | str:
    """What is given in one call, of "f32[8,64], 0.5"; or what is wrong with it."""
    try:
        calls = inputs.calls(text)
    except inputs.InputsError as error:
        return f"{error.wrong} (column {error.column}); {error.remedy}"
    if len(calls) != 1 or calls[0].name or calls[0].inputs.keywords:
        return 'give the arguments of one call, as in "f32[8,64], 0.5"'
    found = [_given(each) for each in calls[0].inputs.positional]
    if not found or None in found:
        return f"give tensors of {', '.join(TYPES)}, and numbers"
    tensors = [each for each in calls[0].inputs.positional if isinstance(each, inputs.InputSpec)]
    if sum(math.prod(each.shape) for each in tensors) > MOST_ELEMENTS:
        return f"take at most {MOST_ELEMENTS:,} elements"
    return [each for each in found if each is not None]


def _given(value: object) -> Given | None:
    if isinstance(value, inputs.Literal):
        return None, value.value
    if not isinstance(value, inputs.InputSpec) or value.drawn or value.dtype not in TYPES:
        return None
    return TYPES[value.dtype], value.shape


def snippet(source: str, check: Recompiles) -> str:
    """What is run: `source`, whose function is called as the check has it."""
    return _TEMPLATE.format(
        name=check.function,
        calls=[call(each) for each in check.over],
        framework=framework(source),
        tools=_TOOLS,
        source=source,
        beside=sorted(_BESIDE),
        outside=_OUTSIDE,
        most=_MOST_NAMED,
        none=_NONE,
    )


def framework(source: str) -> str:
    """The framework that a text is for."""
    return "jax" if _JAX.search(source) else "torch"


def options(source: str) -> report.Options:
    """The options of the run that makes the check's calls."""
    asked = {"measure": False, "compilers": ["core"], "insides": [_INSIDES[framework(source)]]}
    return msgspec.convert(asked, report.Options)


def judge(check: Recompiles, whole: report.Report) -> Seen:
    """Whether the check is passed, by the report of that run."""
    called = f'Over {len(check.over)} calls of "{check.function}"'
    if whole.error is not None:
        message = whole.error.message
        if _OUTSIDE in message:
            return Seen(False, f"{called} {_OUTSIDE}{message.partition(_OUTSIDE)[2]}.")
        return Seen(False, f"{called} it came to nothing: {reasons.short(message)}.")
    programs = [each for each in whole.programs if each.name != _NONE]
    failed = [each.error for each in programs if each.error is not None]
    if failed:
        return Seen(False, f"{called} it failed: {reasons.short(failed[0].message)}.")
    if not programs:
        return Seen(
            False, f"{called} nothing is compiled: let it call what torch.compile or jax.jit made."
        )
    found = again([finding for each in programs for finding in each.findings], check.at_most)
    return found._replace(says=f"{called}: {found.says}")
