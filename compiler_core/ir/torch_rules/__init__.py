"""The torch evaluator's table: each operation as torch calls over held values.

A rule takes the context, the node and its operands. Nothing here looks at a tensor's elements,
so one rule serves tensors and the proxies of a recorded program alike.
"""

from compiler_core.ir.torch_rules import elementwise, library, tensors

RULES = {**elementwise.RULES, **tensors.RULES}
# The operations with any number of results, or with regions: a rule takes the operation.
SEVERAL = {**library.SEVERAL}
