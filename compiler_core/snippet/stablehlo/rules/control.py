"""Loops, branches, and what stands for itself."""

from typing import Any

from jax import lax

from compiler_core.snippet.stablehlo.module import Operation
from compiler_core.snippet.stablehlo.rules.rule import Regions, Rule, refused

# Custom calls that only place a value on devices.
_PLACING = {"Sharding", "annotate_device_placement", "SPMDFullToShardShape", "SPMDShardToFullShape"}


def _while(operation: Operation, operands: Any, regions: Regions) -> Any:
    condition, body = regions
    return lax.while_loop(
        lambda state: condition(*state)[0], lambda state: tuple(body(*state)), tuple(operands)
    )


def _case(operation: Operation, operands: Any, regions: Regions) -> Any:
    return lax.switch(operands[0], [lambda branch=r: tuple(branch()) for r in regions])


def _if(operation: Operation, operands: Any, regions: Regions) -> Any:
    then, other = regions
    return lax.cond(operands[0], lambda: tuple(then()), lambda: tuple(other()))


def _tuple(operation: Operation, operands: Any, regions: Regions) -> Any:
    return (tuple(operands),)


def _element(operation: Operation, operands: Any, regions: Regions) -> Any:
    return operands[0][operation.attributes["index"]]


def _custom_call(operation: Operation, operands: Any, regions: Regions) -> Any:
    name = operation.attributes["call_target_name"]
    if name in _PLACING:
        return operands[0]
    raise refused(
        operation,
        f"the custom call {name} is code of a library or another compiler, of which the text has "
        "the name alone",
        "paste the JAX program that it comes from, or write what it computes with operations of "
        "StableHLO",
    )


RULES: dict[str, Rule] = {
    "stablehlo.while": _while,
    "stablehlo.case": _case,
    "stablehlo.if": _if,
    "stablehlo.tuple": _tuple,
    "stablehlo.get_tuple_element": _element,
    "stablehlo.custom_call": _custom_call,
}
