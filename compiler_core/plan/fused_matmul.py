"""A matrix product fused with the kernels around it: those that compute an operand that only it
reads, and the one that alone reads its result.

How the step is run is a choice like any other: as one generated kernel that computes these
fragments on its tiles, as separate launches, or with some of them separate.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from compiler_core.ir.sizes import Dim, Symbol, Undecided, number
from compiler_core.kernel.by_rows import RowKernel, by_rows
from compiler_core.kernel.fragment import Fragment, NoFragment, Sizes, epilogue_of, prologue_of
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.neighbours import Neighbours
from compiler_core.plan.steps import KernelStep, Matmul, Step
from compiler_core.report.reasons import Reason
from compiler_core.schedule.choice import Candidate

Found = TypeVar("Found", Fragment, RowKernel)
# The value of the product that a kernel computes or reads: an operand, or the result ("end").
Role = Literal["lhs", "rhs", "end"]
PROLOGUES: tuple[Role, ...] = ("lhs", "rhs")
ROLES: tuple[Role, ...] = (*PROLOGUES, "end")


@dataclass(frozen=True)
class Part:
    """A kernel next to a product. `step` is the kernel as a separate launch, `value` the buffer
    between it and the product. Fused, it is computed on tiles (`fragment`) or on blocks of `rows`;
    each of these has the reason where that is not possible."""

    step: KernelStep
    value: BufferParam
    fragment: Fragment | NoFragment
    rows: RowKernel | NoFragment


@dataclass(frozen=True)
class FusedMatmul:
    """A product with its `parts` by role, in the order in which they run."""

    matmul: Matmul
    parts: Mapping[Role, Part]
    scratch: tuple[BufferParam, ...] = ()
    kind = "matmul"
    library = None
    by_design = True
    plans = ()
    kernel = None
    skips_masked = False
    partial = False
    launches = 1

    def keeping(self, roles: Iterable[Role]) -> "Matmul | FusedMatmul":
        """The product with only these parts."""
        parts = {role: self.parts[role] for role in roles}
        return replace(self, parts=parts) if parts else self.matmul

    def generated(self, scratch: tuple[BufferParam, ...] = ()) -> "FusedMatmul":
        """This step by a generated kernel, with the scratch memory that it needs while it runs."""
        return replace(self, matmul=self.matmul.generated(), scratch=scratch)

    def fragment(self, role: Role) -> Fragment | None:
        """The fragment with this role; None if there is none."""
        part = self.parts.get(role)
        return part.fragment if part and isinstance(part.fragment, Fragment) else None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The separate steps that it replaces, in order."""
        before = (part.step for role, part in self.parts.items() if role != "end")
        after = (self.parts["end"].step,) if "end" in self.parts else ()
        return (*before, self.matmul, *after)

    @property
    def name(self) -> str:
        """The step's name, such as k3_relu_matmul_add_tanh, with the number of its last step."""
        number, _ = _numbered(self.steps[-1].name)
        return "_".join((number, *(_numbered(s.name)[1] for s in self.steps)))

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        between = self._between
        read = (b for s in self.steps for b in s.inputs if b.name not in between)
        return tuple({b.name: b for b in read}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        between = self._between
        return tuple(b for s in self.steps for b in s.outputs if b.name not in between)

    @property
    def _between(self) -> Mapping[str, BufferParam]:
        """Buffers that fusion keeps out of memory."""
        return {part.value.name: part.value for part in self.parts.values()}

    @property
    def origins(self) -> tuple[int, ...]:
        return tuple(sorted({o for s in self.steps for o in s.origins}))

    @property
    def ops(self) -> tuple[str, ...]:
        return tuple(op for s in self.steps for op in s.ops)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that sizes of the product and of its parts depend on."""
        parts = (part.step.kernel.symbols for part in self.parts.values())
        return tuple(sorted({*self.matmul.symbols, *(s for own in parts for s in own)}))

    def traffic(self) -> tuple[int, int]:
        between = sum(b.type.at_hint().bytes for b in self._between.values())
        read, written = map(sum, zip(*(s.traffic() for s in self.steps), strict=True))
        return read - between, written - between

    def flops(self) -> int:
        return sum(s.flops() for s in self.steps)

    def lines(self) -> list[Line]:
        return [line for s in self.steps for line in s.lines()]


_NUMBERED = re.compile(r"((?:\w+_)?k\d+)_(\w+)")


def _numbered(name: str) -> tuple[str, str]:
    """Splits a step's name into its number and its title: k2_body_k0, tanh."""
    found = _NUMBERED.fullmatch(name)
    return (found[1], found[2]) if found else (name, "kernel")


def refused_part(strategy: str, part: Part, reason: str) -> Candidate:
    """A way to run a product that is not possible with a part of it."""
    return Candidate(strategy, f"{part.step.name}: {reason}", within=frozenset({part.value.name}))


# -- which kernels and products belong together

# Whether a kernel can be part of a product on some machine.
Fits = Callable[[Part], bool]


def join(steps: Iterable[Step], outputs: Sequence[str], fits: Fits) -> list[Step]:
    """Joins every product with the kernels whose results only it reads, and with the kernel that
    alone reads its result, unless the program returns the value in between. A kernel between two
    products goes to one where it `fits`, as the epilogue of the first if it fits both; one that
    fits nowhere is joined as well, so that the choice can report why it stays separate."""
    steps = list(steps)
    program = Neighbours(steps, outputs)
    found: dict[str, dict[Role, Part]] = {}
    taken: set[str] = set()
    pairs = list(_pairs(program))
    for matmul, role, part in sorted(pairs, key=lambda x: (not fits(x[2]), x[1] != "end")):
        own = found.setdefault(matmul.name, {})
        if part.step.name not in taken and role not in own:
            own[role] = part
            taken.add(part.step.name)
    joined = [
        FusedMatmul(m, {role: parts[role] for role in ROLES if role in parts})
        for m in program.all_of(Matmul)
        if (parts := found.get(m.name))
    ]
    return list(_placed(steps, joined))


def _placed(steps: Iterable[Step], joined: Iterable[FusedMatmul]) -> Iterator[Step]:
    """The steps in order, each joined step at the position of its last part."""
    at = {x.steps[-1].name: x for x in joined}
    inside = {step.name for x in joined for step in x.steps}
    for step in steps:
        if step.name in at:
            yield at[step.name]
        elif step.name not in inside:
            yield step


def _pairs(program: Neighbours) -> Iterator[tuple[Matmul, Role, Part]]:
    """Every product with every kernel that may be joined to it, the last product first."""
    for matmul in reversed(program.all_of(Matmul)):
        for role in PROLOGUES:
            b = matmul.lhs if role == "lhs" else matmul.rhs
            writer = program.writer(b.name, KernelStep)
            if writer and not no_prologue(program, matmul, b.name):
                yield matmul, role, _prologue(writer, matmul, role, b)
        reader = program.only_reader(matmul.out.name, KernelStep)
        if reader is not None and not no_epilogue(program, matmul):
            yield matmul, "end", _epilogue(reader, matmul)


def no_prologue(program: Neighbours, matmul: Matmul, operand: str) -> Reason | None:
    """Why the producer of `operand` is not considered as a prologue of the product; None if it
    is."""
    writer = program.writer(operand, KernelStep)
    if writer is None:
        why = f"the step that writes {operand} is no generated kernel, as a prologue has to be"
        return Reason("takes in nothing", why)
    needed = next((b for b in writer.outputs if _is_needed(b, operand, program)), None)
    if needed is not None:
        why = (
            f"{writer.name} also computes {needed.name}, and a prologue computes its operand alone"
        )
        return Reason("also computes", why)
    return _no_product(matmul) or program.kept_in_memory(operand)


def no_epilogue(program: Neighbours, matmul: Matmul) -> Reason | None:
    """Why the consumer of the product's result is not considered as its epilogue; None if it is."""
    return _no_product(matmul) or program.kept_in_memory(matmul.out.name)


def _no_product(matmul: Matmul) -> Reason | None:
    if matmul.flops():
        return None
    return Reason("no elements", "a size of the product is 0, so there is nothing to multiply")


def _is_needed(b: BufferParam, operand: str, program: Neighbours) -> bool:
    """Whether another step than the product reads what a kernel writes beside the operand."""
    return b.name != operand and program.is_read(b.name)


def _epilogue(step: KernelStep, m: Matmul) -> Part:
    fragment = _decided(lambda: epilogue_of(step.kernel, m.out.name, (m.batch, m.m, m.n)))
    return Part(step, m.out, fragment, _by_rows(step, m, m.out, m.n))


def _decided(find: Callable[[], Found | NoFragment]) -> Found | NoFragment:
    """What `find` returns, or that it depends on a symbol's value."""
    try:
        return find()
    except Undecided as error:
        return NoFragment(error.message)


def _by_rows(step: KernelStep, m: Matmul, b: BufferParam, width: Dim) -> RowKernel | NoFragment:
    """The kernel on rows of the product, whose matrix in `b` is so wide."""
    rows = m.batch * m.m
    return _decided(lambda: by_rows(step.kernel, b.name, rows, number(width, "rows of a product")))


def _prologue(step: KernelStep, m: Matmul, role: Role, b: BufferParam) -> Part:
    fragment = _decided(lambda: prologue_of(step.kernel, b.name, stored(m, role)))
    reason = _no_rows(m, role)
    if reason:
        return Part(step, b, fragment, NoFragment(reason))
    return Part(step, b, fragment, _by_rows(step, m, b, m.k))


def _no_rows(m: Matmul, role: Role) -> str:
    """Why an operand is not computed by rows of the product, "" where it may be."""
    if role == "rhs":
        return "every block of rows reads the whole right operand, and would repeat its prologue"
    if m.transpose_lhs:
        return (
            "the left operand is stored by columns, so a block of rows cannot compute its prologue"
        )
    if m.batch != 1 and not m.lhs_batched:
        return "every product of the batch would repeat the prologue of their one left operand"
    return ""


def stored(matmul: Matmul, role: Role) -> Sizes:
    """The extents of an operand as stored: [batch, rows, columns]."""
    left = role == "lhs"
    batched = matmul.lhs_batched if left else matmul.rhs_batched
    sides = (matmul.m, matmul.k) if left else (matmul.k, matmul.n)
    flipped = matmul.transpose_lhs if left else matmul.transpose_rhs
    return (matmul.batch if batched else 1, *(sides[::-1] if flipped else sides))
