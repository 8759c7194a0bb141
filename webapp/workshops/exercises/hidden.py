"""A snippet that calls somebody's function on hidden inputs and prints a part of what it gives; and
what two of them printed, held against each other.

The snippet is run as any other, in the sandbox: nothing of it is executed here, and what it printed
is numbers to be compared. Whoever knew how it is composed could print numbers of their own; to be
equal they would have to be those of the reference, which no run of theirs contains.
"""

import json
import math
import re
from typing import Any, NamedTuple

import msgspec
from django.utils.crypto import salted_hmac

from compiler_core import inputs

# Of the real inputs of each call, their spread: what is decided by a size is decided both ways. And
# how many values of each output are looked at.
SCALES, VALUES = (1.0, 2.0**-7), 64
MOST_ELEMENTS = 1 << 20
TYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool"}
_JAX = re.compile(r"^\s*(import|from)\s+jax\b", re.MULTILINE)

# Straight-line code: a function at the top would be a program of the snippet.
_TEMPLATE = """# inputs: f32[1]
import contextlib, io, json, sys, types
import numpy as np
_seed, _name, _specs, _framework = {seed}, {name!r}, {specs!r}, {framework!r}
if _framework == "jax":
    import jax.numpy as _made_by
    _made = _made_by.asarray
else:
    import torch
    _made = torch.from_numpy
_module = types.ModuleType("snippet")
sys.modules["snippet"] = _module
_told = []
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile({source!r}, "<snippet>", "exec", dont_inherit=True), _module.__dict__)
    if not callable(getattr(_module, _name, None)):
        raise NameError("the snippet has no function " + _name)
    for _call, _scale in enumerate({scales}):
        _drawn = np.random.default_rng([_seed, _call])
        _given = []
        for _dtype, _shape in _specs:
            _whole = _drawn.integers(0, 2 if _dtype == "bool" else 10, _shape)
            _real = _drawn.standard_normal(_shape) * _scale
            _value = np.asarray(_real if _dtype.startswith("float") else _whole, _dtype)
            _given.append(_made(_value))
        _left, _outputs = [getattr(_module, _name)(*_given)], []
        while _left:
            _one = _left.pop(0)
            if isinstance(_one, (list, tuple)):
                _left = [*_one, *_left]
                continue
            if isinstance(_one, dict):
                _left = [*_one.values(), *_left]
                continue
            if hasattr(_one, "detach"):
                _one = _one.detach().cpu().double().numpy()
            _flat = np.asarray(_one, np.float64).reshape(-1)
            _places = _drawn.integers(0, max(_flat.size, 1), {values} if _flat.size else 0)
            _outputs.append([list(np.shape(_one)), _flat[_places].tolist()])
        _told.append(_outputs)
print({mark!r} + json.dumps(_told))


def nothing(x):
    return x
"""


class Output(NamedTuple):
    """The shape of an output, and some of its values."""

    shape: list[int]
    values: list[float]


def specs(text: str) -> list[tuple[str, tuple[int, ...]]] | str:
    """Type and shape of each hidden input, of "f32[33,100], i64[4]"; or what is wrong with it."""
    try:
        calls = inputs.calls(text)
    except inputs.InputsError as error:
        return f"{error.wrong} (column {error.column}); {error.remedy}"
    values = calls[0].inputs.positional if len(calls) == 1 and not calls[0].name else ()
    found = [each for each in values if isinstance(each, inputs.InputSpec)]
    if not found or len(found) < len(values) or calls[0].inputs.keywords:
        return 'give tensors alone, as in "f32[33,100], i64[4]"'
    if any(each.dtype not in TYPES or each.drawn for each in found):
        return f"choose among {', '.join(TYPES)}, and leave it to the check how they are drawn"
    if sum(math.prod(each.shape) for each in found) > MOST_ELEMENTS:
        return f"take at most {MOST_ELEMENTS:,} elements"
    return [(TYPES[each.dtype], each.shape) for each in found]


def snippet(source: str, key: str, function: str, wanted: str, reference: str) -> str:
    """What is run: `source`, whose `function` is called on the inputs `wanted`, made as the
    framework of `reference` has them. `key` names the exercise: inputs are the same in all runs of
    one, and nobody else knows them."""
    found = specs(wanted)
    assert not isinstance(found, str), found
    return _TEMPLATE.format(
        seed=int(_secret(key)[:12], 16),
        name=function,
        specs=found,
        framework="jax" if _JAX.search(reference) else "torch",
        source=source,
        scales=SCALES,
        values=VALUES,
        mark=_mark(key),
    )


def outputs(printed: str, key: str) -> list[list[Output]] | None:
    """What the snippet printed of each call's outputs; None where it did not come to that, or
    something else was printed in its name."""
    lines = [line for line in printed.splitlines() if line.startswith(_mark(key))]
    try:
        found: Any = json.loads(lines[-1].removeprefix(_mark(key))) if lines else None
        return found and msgspec.convert(found, list[list[Output]])
    except (ValueError, RecursionError):
        return None


def difference(mine: list[list[Output]], right: list[list[Output]], tolerance: float) -> str:
    """Where the outputs are not those of the reference, in words; blank where they are."""
    for one, other in zip(mine, right, strict=False):
        if len(one) != len(other):
            return f"it gives {len(one)} outputs, and the reference {len(other)}"
        for at, (got, wanted) in enumerate(zip(one, other, strict=True)):
            if told := _apart(got, wanted, tolerance):
                return told if len(other) == 1 else f"in output {at}, {told}"
    return "" if len(mine) == len(right) else "it was not called as often as the reference"


def _apart(got: Output, wanted: Output, tolerance: float) -> str:
    if got.shape != wanted.shape:
        return f"the shape is {got.shape}, and the reference's {wanted.shape}"
    if len(got.values) != len(wanted.values):
        return "there are not as many values as in the reference"
    # Against the largest there is: what is next to nothing may be nothing.
    scale = max((abs(value) for value in wanted.values if math.isfinite(value)), default=0.0)
    for one, other in zip(got.values, wanted.values, strict=True):
        if not _near(one, other, tolerance * max(scale, 1e-30)):
            return f"a value is {one:.6g} where the reference has {other:.6g}"
    return ""


def _near(one: float, other: float, most: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other or abs(one - other) <= most


def _secret(key: str) -> str:
    return salted_hmac("webapp.workshops.exercises.hidden", key).hexdigest()


def _mark(key: str) -> str:
    return f"outputs {_secret(key)[12:28]}: "
