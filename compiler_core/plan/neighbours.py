"""The producers and readers of the buffers between a plan's steps."""

from collections.abc import Iterable, Sequence

from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.softmax import Softmax, softmax_of
from compiler_core.plan.steps import KernelStep, Matmul, Step


class Neighbours:
    """Producer and readers of each buffer, and the steps that are part of an attention already."""

    def __init__(self, steps: Sequence[Step], outputs: Sequence[str]) -> None:
        self.outputs, self.order = outputs, {s.name: i for i, s in enumerate(steps)}
        self.makers = {b.name: s for s in steps for b in s.outputs}
        self.readers: dict[str, list[Step]] = {}
        self.taken: set[str] = set()
        for step in steps:
            for b in step.inputs:
                self.readers.setdefault(b.name, []).append(step)

    def weights_of(self, product: Step) -> tuple[Matmul, KernelStep] | None:
        """The first product and the softmax between it and `product`."""
        for b in product.inputs if isinstance(product, Matmul) else ():
            weights = self.makers.get(b.name)
            if not isinstance(weights, KernelStep) or not _is_near(weights.kernel):
                continue
            for source in weights.inputs:
                scores = self.makers.get(source.name)
                if isinstance(scores, Matmul):
                    return scores, weights
        return None

    def read_only_by(self, buffer: str, names: Iterable[str]) -> bool:
        readers = {s.name for s in self.readers.get(buffer, ())}
        return readers <= set(names) and buffer not in self.outputs


def _is_near(kernel: Kernel) -> bool:
    """Whether a kernel contains the softmax of a row."""
    if not kernel.reduce:
        return False
    found = softmax_of(kernel)
    return isinstance(found, Softmax) or found.near
