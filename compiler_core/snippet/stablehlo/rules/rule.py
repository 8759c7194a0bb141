"""What a rule is."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.snippet.stablehlo.module import Operation

Regions = Sequence[Callable[..., list[Any]]]
Rule = Callable[[Operation, Sequence[Any], Regions], Any]
