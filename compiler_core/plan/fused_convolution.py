"""A convolution and the elementwise kernel that alone reads its result, as one step: as one
generated kernel, whose tile is in registers when the fragment is computed, or as launches apart."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from compiler_core.ir.convolution import Convolution
from compiler_core.ir.sizes import Dim, Symbol, product
from compiler_core.kernel.fragment import Fragment, NoFragment, epilogue_of
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.neighbours import Neighbours
from compiler_core.plan.steps import KernelStep, Step
from compiler_core.report.reasons import Reason

_NUMBER = re.compile(r"^((?:\w+_)?k\d+)_")


@dataclass(frozen=True)
class FusedConvolution:
    """`end` is the kernel after the convolution as a step of its own; `fragment` is the same kernel
    over the sides of the result (`sides_of`), or why there is none."""

    conv: ConvolutionStep
    end: KernelStep
    fragment: Fragment | NoFragment
    kind = "convolution"
    library = None
    by_design = True
    plans = ()
    kernel = None
    skips_masked = False
    partial = False
    launches = 1

    @property
    def name(self) -> str:
        """The step's name, such as k3_convolution_add_tanh, with the number of `end`."""
        return _NUMBER.sub(r"\1_convolution_", self.end.name, count=1)

    def generated(self, copied: Dim = 0) -> "FusedConvolution":
        """This step by a generated kernel, with scratch memory for `copied` elements of the
        image."""
        return replace(self, conv=self.conv.generated(copied))

    @property
    def epilogue(self) -> Fragment | None:
        """The fragment on a tile of the result; None if the kernel has no such form."""
        return self.fragment if isinstance(self.fragment, Fragment) else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The separate steps that it replaces, in order."""
        return (self.conv, self.end)

    @property
    def scratch(self) -> tuple[BufferParam, ...]:
        return self.conv.scratch

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that the generated kernel needs the values of."""
        end = self.epilogue.kernel.symbols if self.epilogue else ()
        return tuple(sorted({*self.conv.symbols, *end}))

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        rest = (b for b in self.end.inputs if b.name != self.conv.out.name)
        return tuple({b.name: b for b in (*self.conv.inputs, *rest)}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return self.end.outputs

    @property
    def origins(self) -> tuple[int, ...]:
        return tuple(sorted({*self.conv.origins, *self.end.origins}))

    @property
    def ops(self) -> tuple[str, ...]:
        return (*self.conv.ops, *self.end.ops)

    def traffic(self) -> tuple[int, int]:
        """(bytes read, bytes written), without the convolution's result, which is never in
        memory."""
        between = self.conv.out.type.at_hint().bytes
        read = self.conv.traffic()[0] + self.end.traffic()[0] - between
        return read, self.end.traffic()[1]

    def flops(self) -> int:
        return self.conv.flops() + self.end.flops()

    def lines(self) -> list[Line]:
        return [*self.conv.lines(), *self.end.lines()]


@dataclass(frozen=True)
class Sides:
    """The result as a matrix: features by positions, or positions by features where the features
    are its last dimension. `batch` and `places` are the dimensions of the result that count its
    matrices and its positions, in their order in memory: 0 is the batch, from 1 on they are
    spatial."""

    batch: tuple[int, ...]
    places: tuple[int, ...]
    features_first: bool


def sides_of(v: Convolution) -> Sides:
    """Which dimensions of the result are rows and which are columns, seen as a product of patches
    and kernels."""
    order = [v.out_dims.index(d) for d in range(v.rank + 2)]
    at = order.index(1)
    before, after = ([d - (d > 1) for d in part] for part in (order[:at], order[at + 1 :]))
    if after:
        return Sides(tuple(before), tuple(after), features_first=True)
    return Sides((), tuple(before), features_first=False)


def extents(v: Convolution, sides: Sides) -> tuple[Dim, Dim, Dim]:
    """The sizes of that matrix: (batch, rows, columns)."""
    sizes = (v.batch, *v.out)
    batch, places = (product(sizes[d] for d in dims) for dims in (sides.batch, sides.places))
    features = v.groups * v.features
    return (batch, features, places) if sides.features_first else (batch, places, features)


def join(steps: Iterable[Step], outputs: Sequence[str]) -> list[Step]:
    """Every convolution joined with the kernel after it, where that alone reads it and the
    program does not return it."""
    steps = list(steps)
    program, joined = Neighbours(steps, outputs), dict[str, FusedConvolution]()
    for step in program.all_of(KernelStep):
        read = (program.writer(b.name, ConvolutionStep) for b in step.inputs)
        own = [c for c in read if c and not no_end(program, c)]
        if own:
            joined[step.name] = _fused(own[-1], step)
    taken = {x.conv.name for x in joined.values()}
    return [joined.get(step.name, step) for step in steps if step.name not in taken]


def no_start(program: Neighbours, conv: Step, image: str) -> Reason:
    """Why the producer of the convolution's operand is not considered as its prologue: no
    convolution has one."""
    why = "a convolution has no prologue, so what computes its operand is a launch of its own"
    return Reason("takes in nothing", why)


def no_end(program: Neighbours, conv: Step) -> Reason | None:
    """Why the kernel that reads a convolution's result is not considered as its epilogue; None if
    it is."""
    if not conv.flops():
        return Reason("no elements", "a size of the convolution is 0, so there is nothing to sum")
    return program.kept_in_memory(conv.outputs[0].name)


def _fused(conv: ConvolutionStep, end: KernelStep) -> FusedConvolution:
    sizes = extents(conv.sizes, sides_of(conv.sizes))
    return FusedConvolution(conv, end, epilogue_of(end.kernel, conv.out.name, sizes))
