"""Library calls in StableHLO: a custom call that names the kernel; it parses and cannot run."""

import json

from compiler_core.ir.graph import Operation
from compiler_core.ir.stablehlo.generic import SeveralRule, operation_text


def _library_call(operation: Operation) -> str:
    node, callee = operation.results[0], operation["callee"]
    target = json.dumps(f"{callee.framework}.{callee}")
    return operation_text(node, "stablehlo.custom_call", {"call_target_name": target})


SEVERAL: dict[str, SeveralRule] = {"library_call": _library_call}
