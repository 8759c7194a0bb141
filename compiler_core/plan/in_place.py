"""Where results lie that are new values of inputs, such as a parameter after a training step.

A graph has no memory; which of its outputs replace which inputs is said beside it. A kernel stores
such a result over its input if no later step reads that input, and if each point of the kernel
reads only its own element of it, before it writes it. Otherwise a launch after all others copies
the result there. An old value that the program also returns is copied before all others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from compiler_core.ir.sizes import product
from compiler_core.ir.types import TensorType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import Axis, BufferParam, Kernel, Load, roots
from compiler_core.plan.steps import COPY, KernelStep, Step, may_raise


def settled(
    steps: Sequence[Step],
    inputs: Mapping[str, TensorType],
    outputs: tuple[str, ...],
    replaced: Mapping[int, str],
) -> tuple[Sequence[Step], tuple[str, ...], dict[str, str]]:
    """(steps, outputs, over): the steps with the copies that are needed; the names of the outputs'
    buffers; and the outputs that lie in the memory of an input, by name, with that input.
    `replaced` maps the position of each output that is a new value of an input to that input."""
    if not replaced:
        return steps, outputs, {}
    return _Settling(list(steps), inputs, list(outputs), replaced).run()


@dataclass
class _Settling:
    steps: list[Step]
    inputs: Mapping[str, TensorType]
    outputs: list[str]
    replaced: Mapping[int, str]
    over: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = count(len(self.steps))
        self._types = dict(self.inputs)
        self._types |= {b.name: b.type for step in self.steps for b in step.outputs}
        self._origins = {b.name: step.origins for step in self.steps for b in step.outputs}

    def run(self) -> tuple[Sequence[Step], tuple[str, ...], dict[str, str]]:
        before = [self._kept(name) for name in dict.fromkeys(self.replaced.values())
                  if name in self.outputs]  # fmt: skip
        after = list[Step]()
        for place, given in self.replaced.items():
            result = self.outputs[place]
            if self._written_over(result, given):
                self.over[result] = given
                continue
            self.outputs[place] = name = self._free(f"{given}_new")
            self.over[name] = given
            after.append(self._copy(result, name))
        return (*before, *self.steps, *after), tuple(self.outputs), self.over

    def _kept(self, given: str) -> Step:
        """The launch that keeps an input's old value, which the outputs then have in its place."""
        name = self._free(f"{given}_before")
        self.outputs = [name if x == given else x for x in self.outputs]
        return self._copy(given, name)

    def _free(self, name: str) -> str:
        while name in self._types:
            name += "_"
        return name

    def _copy(self, source: str, name: str) -> Step:
        self._types[name] = type_ = self._types[source]
        axis = Axis("i0", type_.elements, "parallel")
        at = Affine(((axis.name, 1),))
        origins = self._origins.get(source, ())
        return KernelStep(Kernel(
            f"k{next(self._numbers)}_{COPY}", "elementwise", (axis,),
            (BufferParam(source, type_, "in"), BufferParam(name, type_, "out")),
            (Load("v0", type_.dtype, source, at, origins),),
            (Phase((Store(name, at, "v0", origins),)),),
            origins,
        ))  # fmt: skip

    def _written_over(self, result: str, given: str) -> bool:
        """Whether the kernel that computes `result` stores it over `given`: marked in it, where it
        reads that as well."""
        writers = [n for n, s in enumerate(self.steps) if result in _names(s.outputs)]
        if len(writers) != 1 or self.outputs.count(result) != 1 or result in self.inputs:
            return False
        (number,) = writers
        step, later = self.steps[number], self.steps[number + 1 :]
        kernel = step.kernel
        if kernel is None or any(given in _names(s.inputs) for s in later):
            return False
        # What eager execution stores after it raises is not to be seen.
        if any(map(may_raise, later)) or not self._is_alike(result, given):
            return False
        if given not in _names(step.inputs):
            return all(b.role == "out" for b in kernel.outputs if b.name == result)
        if not _reads_its_own(kernel, result, given):
            return False
        self.steps[number] = KernelStep(_marked(kernel, result, given))
        return True

    def _is_alike(self, result: str, given: str) -> bool:
        one, other = self._types[result], self._types[given]
        return one.dtype is other.dtype and one.elements == other.elements


def _names(buffers: Sequence[BufferParam]) -> set[str]:
    return {b.name for b in buffers}


def _reads_its_own(kernel: Kernel, result: str, given: str) -> bool:
    """Whether each point of the kernel writes one element of `result`, and has read the same one of
    `given`, and no other, before."""
    stores = [e for e in kernel.stores if e.buffer == result]
    loads = [d for d in kernel.defs if isinstance(d, Load) and d.buffer == given]
    if len(stores) != 1 or len(kernel.phases) != 1 or kernel.reduce:
        return False
    (store,) = stores
    (type_,) = (b.type for b in kernel.outputs if b.name == result)
    points = product(axis.extent for axis in kernel.axes)
    if store in kernel.scattered or store.mask is not None or points != type_.elements:
        return False
    effects = kernel.effects[: kernel.effects.index(store) + 1]
    read = {d.name for d in kernel.needed(roots(*effects))}
    return all(d.access == store.access and d.name in read for d in loads)


def _marked(kernel: Kernel, result: str, given: str) -> Kernel:
    buffers = (replace(b, over=given) if b.name == result else b for b in kernel.buffers)
    return replace(kernel, buffers=tuple(buffers))
