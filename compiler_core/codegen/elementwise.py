"""Elementwise operations as C and Triton print them, and the rules that both languages share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from compiler_core.errors import Unsupported
from compiler_core.ir.types import BOOL, DType


@dataclass(frozen=True, slots=True)
class Call:
    """One operation on scalars (C) or tiles (Triton); `args` are names or literals. `dtype` is the
    result's; `direction` is that of a comparison: EQ, NE, LT, LE, GT or GE."""

    op: str
    dtype: DType
    args: tuple[str, ...]
    arg_dtypes: tuple[DType, ...]
    direction: str = ""


# An expression: `{0}` is the first operand's text.
Rule = str | Callable[[Call], str]

_COMPARISONS = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def _compare(call: Call) -> str:
    return f"{call.args[0]} {_COMPARISONS[call.direction]} {call.args[1]}"


# Operations with the same text in C and in Triton.
SHARED: dict[str, Rule] = {
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "compare": _compare,
}


def extremum(op: str, of_numbers: Callable[[Call], str]) -> Rule:
    """The rule of maximum or minimum; on bools it is `or` or `and`."""

    def text(call: Call) -> str:
        if call.dtype is not BOOL:
            return of_numbers(call)
        return f"{call.args[0]} {'|' if op == 'maximum' else '&'} {call.args[1]}"

    return text


def expression(rules: Mapping[str, Rule], call: Call, language: str) -> str:
    """The text of one operation by the table `rules`. Raises Unsupported for one without a row."""
    rule = rules.get(call.op)
    if rule is None:
        raise Unsupported(
            f"there is no {language} text for {call.op}", remedy="report this program"
        )
    return rule.format(*call.args) if isinstance(rule, str) else rule(call)
