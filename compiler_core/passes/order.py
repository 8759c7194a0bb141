"""The passes, in order. Each is valid graph in, valid graph out."""

from functools import partial

from compiler_core.passes import algebra, cse, dots, loops, views
from compiler_core.passes import constant_folding as fold
from compiler_core.passes.recording import Pass
from compiler_core.rewrite.engine import rewrite

PASSES: tuple[Pass, ...] = (
    Pass("fold-constants", "what is known now is not computed later",
         partial(rewrite, rules=fold.RULES)),
    Pass("merge-views", "chains of views become one, or nothing",
         partial(rewrite, rules=views.RULES)),
    Pass("order-matmuls", "contractions in the order that a matmul library reads",
         dots.order_matmuls),
    Pass("simplify-algebra", "cheaper operations with the same values",
         partial(rewrite, rules=(*fold.RULES, *algebra.RULES))),
    Pass("loop-invariants", "what each step of a loop would compute alike is computed before it",
         loops.move_out),
    Pass("common-subexpressions", "each expression once", cse.merge_common),
)  # fmt: skip
