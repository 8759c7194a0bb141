"""Types of what has no operands."""

from compiler_core.ir.infer.rule import Rule, declared

RULES: dict[str, Rule] = dict.fromkeys(("parameter", "constant", "iota"), declared)
