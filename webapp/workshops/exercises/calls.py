"""Whether somebody's function is compiled again over the calls that an exercise makes of it: those
of their own snippet may be any, and fewer. The snippet that makes them is run as any other, with a
look into TorchDynamo or JAX, and its report says what was compiled again."""

import math
import re
from collections.abc import Sequence

import msgspec

from compiler_core import inputs, report
from webapp.workshops.exercises import reasons
from webapp.workshops.exercises.judging import Seen, again, names
from webapp.workshops.exercises.kinds import Recompiles

# The program of a snippet that compiles nothing.
_NONE = "nothing_is_compiled"
MOST_ELEMENTS = 1 << 20
TYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool"}
_JAX = re.compile(r"^\s*(import|from)\s+jax\b", re.MULTILINE)
# Of operations that run outside of what is compiled, so many are named.
_MOST_NAMED = 3
# What is done to a tensor before it is given to what is compiled, and to what comes of it: it is
# made, padded, cut, moved and given another shape or type.
_BESIDE = {
    *("lift_fresh", "lift_fresh_copy", "tensor", "scalar_tensor", "full", "full_like", "zeros"),
    *("zeros_like", "ones", "ones_like", "empty", "arange", "iota", "clone", "detach", "alias"),
    *("copy", "copy_", "_to_copy", "to", "convert_element_type", "constant_pad_nd", "pad", "cat"),
    *("concatenate", "slice", "dynamic_slice", "narrow", "select", "index_select", "split", "view"),
    *("_unsafe_view", "reshape", "expand", "broadcast_in_dim", "unsqueeze", "squeeze", "permute"),
    *("expand_dims", "transpose", "t"),
}
_INSIDES = {"jax": "jax", "torch": "dynamo"}

# What the snippet itself calls runs as it is, and is compiled from the first call here on. Within a
# text, for a function at the top would be a program of the snippet; under the snippet's name, for
# what others compile is none.
_LATER = """
import functools, types
def later(compiled, called):
    def wrap(function=None, **options):
        if function is None:
            return functools.partial(wrap, **options)
        if not isinstance(function, types.FunctionType):
            return compiled(function, **options)
        made = []
        @functools.wraps(function)
        def call(*given, **named):
            if not called:
                return function(*given, **named)
            if not made:
                made.append(compiled(function, **options))
            return made[0](*given, **named)
        return call
    return wrap
"""
_TEMPLATE = """# inputs: f32[1]
import contextlib, io, sys, types
import numpy as np
_name, _calls, _framework = {name!r}, {calls!r}, {framework!r}
if _framework == "jax":
    import jax as _made_by
    import jax.numpy as _arrays
    _made, _verb = _arrays.asarray, "jit"
else:
    import torch as _made_by
    _made, _verb = _made_by.from_numpy, "compile"
_tools, _called = dict(), []
exec(compile({later!r}, "<snippet>", "exec"), _tools)
setattr(_made_by, _verb, _tools["later"](getattr(_made_by, _verb), _called))
_module = types.ModuleType("snippet")
sys.modules["snippet"] = _module
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile({source!r}, "<snippet>", "exec", dont_inherit=True), _module.__dict__)
    if not callable(getattr(_module, _name, None)):
        raise NameError("the snippet has no function " + _name)
    _called.append(True)
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
        getattr(_module, _name)(*_given)


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
        framework=_framework(source),
        later=_LATER,
        source=source,
        none=_NONE,
    )


def _outside(own: Sequence[report.Program], compiled: Sequence[report.Program]) -> list[str]:
    """The operations of one's own function that nothing has that is compiled, by their names. What
    readies arguments and takes results apart may be outside."""
    inside = {name for each in compiled for node in each.nodes for name in names(node.op)}
    found = {min(names(node.op), key=len): names(node.op) for each in own for node in each.nodes}
    return [name for name, all_ in found.items() if not all_ & (inside | _BESIDE)]


def _framework(source: str) -> str:
    return "jax" if _JAX.search(source) else "torch"


def options(source: str) -> report.Options:
    """The options of the run that makes the check's calls."""
    asked = {"measure": False, "compilers": ["core"], "insides": [_INSIDES[_framework(source)]]}
    return msgspec.convert(asked, report.Options)


def judge(
    check: Recompiles, whole: report.Report, called_alone: Sequence[report.Program] = ()
) -> Seen:
    """Whether the check is passed, by the report of that run, and by the programs of the run that
    is checked: what they compute is to be in what is compiled."""
    called = f'Over {len(check.over)} calls of "{check.function}"'
    if whole.error is not None:
        return Seen(False, f"{called} it came to nothing: {reasons.short(whole.error.message)}.")
    programs = [each for each in whole.programs if each.name != _NONE]
    failed = [each.error for each in programs if each.error is not None]
    if failed:
        return Seen(False, f"{called} it failed: {reasons.short(failed[0].message)}.")
    if not programs:
        return Seen(False, f"{called} nothing is compiled.")
    own = [each for each in called_alone if each.name == check.function]
    if outside := _outside(own, programs):
        ops = ", ".join(f'"{each}"' for each in outside[:_MOST_NAMED])
        return Seen(False, f"{called} not all of its work is compiled: what runs outside is {ops}.")
    found = again([finding for each in programs for finding in each.findings], check.at_most)
    return found._replace(says=f"{called}: {found.says}")
