"""Types of operations without operands: those that they declare."""

from compiler_core.ir.infer.rule import Rule, declared

RULES: dict[str, Rule] = dict.fromkeys(("parameter", "constant", "iota"), declared)
