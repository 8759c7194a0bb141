"""Which rule lowers a call: a row of the table, or of the table for complex tensors."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from compiler_core.capture.torch import library
from compiler_core.capture.torch.complex_numbers import table as complex_table
from compiler_core.capture.torch.complex_numbers.calls import has_complex, of_packed
from compiler_core.capture.torch.float8_calls import has_float8, of_bytes
from compiler_core.capture.torch.memory import BY_MEMORY
from compiler_core.capture.torch.pointwise import TorchRule
from compiler_core.capture.torch.table import TABLE
from compiler_core.capture.torch.trace import Call


def has_rule(call: Call) -> bool:
    """Whether a call can be lowered: by a table, by the rule of its functional twin, or, for views
    by memory, by the lowering itself."""
    func = call.func
    if func in BY_MEMORY:
        return True
    twin = library.functional_twin(func) if func._schema.is_mutable else func
    return rule_of(call, twin) is not None


def rule_of(
    call: Call, func: Any | None, results: Sequence[torch.dtype] | None = None
) -> TorchRule | None:
    """The rule of `func`, the operation of a call or its twin; None without one. `results` are the
    dtypes of its results where they are not the call's."""
    if func is None:
        return None
    dtypes = [dtype for _, dtype, _ in call.results] if results is None else results
    if has_float8(call):
        return of_bytes(_key(func), _row(TABLE, func), call, dtypes)
    if not has_complex(call):
        return _row(TABLE, func)
    rule = _row(complex_table.TABLE, func)
    return None if rule is None else of_packed(rule, dtypes)


def _row(table: Mapping[str, TorchRule], func: Any) -> TorchRule | None:
    """The rule of an overload, or that of all overloads of its operation."""
    if func.namespace == "prims":
        return table.get(func._schema.name)
    if func.namespace != "aten":
        return None
    key = _key(func)
    return table.get(key) or table.get(key.partition(".")[0])


def _key(func: Any) -> str:
    """The name of an overload: "sum.dim_IntList"."""
    return f"{func._schema.name.removeprefix('aten::')}.{func._schema.overload_name}"
