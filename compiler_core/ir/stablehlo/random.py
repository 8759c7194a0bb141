"""Random bits in StableHLO."""

from compiler_core.ir.graph import Operation
from compiler_core.ir.stablehlo.generic import SeveralRule, operation_text


def _rng_bit_generator(operation: Operation) -> str:
    algorithm = f"#stablehlo<rng_algorithm {operation['algorithm']}>"
    return operation_text(
        operation.results[0], "stablehlo.rng_bit_generator", {"rng_algorithm": algorithm}
    )


SEVERAL: dict[str, SeveralRule] = {"rng_bit_generator": _rng_bit_generator}
