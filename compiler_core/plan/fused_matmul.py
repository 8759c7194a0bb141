"""A matrix product and the elementwise kernel that alone reads it, as one step.

How the step is run is a choice like any other: as one generated kernel whose tile is still in
registers when the fragment is computed, or as the vendor's product and then the kernel.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compiler_core.kernel.epilogue import Epilogue, epilogue_of
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.steps import KernelStep, Matmul, Step


@dataclass(frozen=True)
class FusedMatmul:
    """`end` is the kernel as a step of its own, `epilogue` the same cut to the product's shape."""

    matmul: Matmul
    end: KernelStep
    epilogue: Epilogue
    kind = "matmul"
    library = None
    reason = ""
    by_design = True
    scratch = ()
    plans = ()
    launches = 1

    @property
    def name(self) -> str:
        number, *title = self.end.name.split("_")
        return "_".join((number, "matmul", *title))

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        rest = (b for b in self.end.inputs if b.name != self.matmul.out.name)
        return tuple({b.name: b for b in (*self.matmul.inputs, *rest)}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return self.end.outputs

    @property
    def origins(self) -> tuple[int, ...]:
        return tuple(sorted({*self.matmul.origins, *self.end.origins}))

    @property
    def ops(self) -> tuple[str, ...]:
        return (*self.matmul.ops, *self.end.ops)

    def traffic(self) -> tuple[int, int]:
        """The product itself is never in memory."""
        product = self.matmul.out.type.bytes
        read = sum(self.matmul.traffic()) - product + self.end.traffic()[0] - product
        return read, self.end.traffic()[1]

    def flops(self) -> int:
        return self.matmul.flops() + self.end.flops()

    def lines(self) -> list[Line]:
        return [*self.matmul.lines(), *self.end.lines()]


def join(steps: Iterable[Step], outputs: Sequence[str]) -> list[Step]:
    """Every product joined with the kernel after it, where that alone reads it, at each of its
    elements, and the program does not return it."""
    steps = list(steps)
    readers: dict[str, list[Step]] = {}
    for step in steps:
        for b in step.inputs:
            readers.setdefault(b.name, []).append(step)
    products = {s.out.name: s for s in steps if isinstance(s, Matmul) and s.out.name not in outputs}
    joined: dict[str, FusedMatmul] = {}
    taken: set[str] = set()
    for step in steps:
        product = _ended(step, products, readers) if isinstance(step, KernelStep) else None
        if product is not None:
            joined[step.name] = product
            taken.add(product.matmul.name)
    return [joined.get(s.name, s) for s in steps if s.name not in taken]


def _ended(
    step: KernelStep, products: dict[str, Matmul], readers: dict[str, list[Step]]
) -> FusedMatmul | None:
    """`step` as the end of the last of the products that only it reads."""
    for b in reversed(step.inputs):
        matmul = products.get(b.name)
        if matmul is None or len(readers[b.name]) > 1:
            continue
        sizes = (matmul.batch, matmul.m, matmul.n)
        epilogue = epilogue_of(step.kernel, b.name, sizes)
        if isinstance(epilogue, Epilogue):
            return FusedMatmul(matmul, step, epilogue)
    return None
