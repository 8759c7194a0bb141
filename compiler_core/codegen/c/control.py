"""Control flow in C: a loop or a switch around the steps of its regions.

A pointer is used wherever a copy can be avoided. A carried value is a pointer to where the last
iteration left it; the next one writes elsewhere, and the two places are swapped (`_next`,
`_spare`). A row of a scanned or stacked array is a pointer into that array.

    {  // k2_scan: 50 steps
        const float *b7 = buffers[1];
        for (long step = 0; step < 50; step++) {
            const float *b8 = (const float *)buffers[0] + step * 1024;
            float *b20 = (float *)buffers[5] + step * 2048;
            k2_body_k0_tanh(b7, b8, b20);
            b7 = b20;
        }
        __builtin_memcpy(buffers[4], b7, 8192);
    }
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.control import parts
from compiler_core.ir.sizes import atom, product
from compiler_core.ir.types import TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.control import Control, Transfer
from compiler_core.plan.plan import Launch, Plan

# The C expression of each buffer's address.
Places = Mapping[str, str]
# Writes launches.
Launches = Callable[[Sequence[Launch], Places], None]


def emit(w: Writer, step: Control, places: Places, launches: Launches) -> None:
    """Prints the step as a C block."""
    _EMIT[step.operation.op](_Block(w, step, places, launches))


@dataclass(frozen=True)
class _Block:
    w: Writer
    step: Control
    places: Places
    launches: Launches

    def line(self, text: str) -> None:
        self.w.line(text, self.step.origins)

    def open(self, about: str) -> None:
        self.line(f"{{  // {self.step.name}: {about}")
        work = self.step.workspace
        if work is not None:
            with self.w.indent():
                self.line(f"char *{work.name} = {self.places[work.name]};")

    def inner(self, plan: Plan, known: Places) -> None:
        """Prints a region's steps; `known` has the places of its arguments and of what it must
        write to a given place."""
        self.launches(plan.launches, {**self.places, **known})

    def copy(self, to: str, source: str, type_: TensorType, only_if: str = "") -> None:
        """A copy of a tensor, if a condition holds where one is given."""
        size = type_.elements * type_.dtype.bytes
        test = f"if ({only_if}) " if only_if else ""
        if size != 0:
            self.line(f"{test}__builtin_memcpy({to}, {source}, {size});")


def _pointer(buffer: BufferParam | str, type_: str, value: str, *, const: bool) -> str:
    name = buffer if isinstance(buffer, str) else buffer.name
    return f"{'const ' if const else ''}{type_} *{name} = {value};"


# -- loops


@dataclass(frozen=True)
class _Loop:
    """What while and scan share: carried values, and how they pass to the next iteration."""

    block: _Block
    body: Plan
    count: int

    @property
    def step(self) -> Control:
        return self.block.step

    def carried(self) -> Sequence[tuple[int, str, BufferParam, Transfer]]:
        """(number, pointer's name, result, transfer) of each carried value."""
        several = zip(self.body.inputs, self.step.outputs, self.step.transfers, strict=False)
        return [(k, name, out, t) for k, (name, out, t) in enumerate(several) if k < self.count]

    def begin(self, *, even: bool) -> None:
        """Declares the pointers. The first iteration writes to the result's own place or, if an
        `even` number of iterations follows, to the spare one, so that the last one writes to the
        result."""
        places = self.block.places
        for k, name, out, transfer in self.carried():
            kind = memory_type(out.type.dtype)
            given = places[self.step.inputs[k].name]
            self.block.line(_pointer(name, kind, given, const=True))
            if transfer.rotates:
                two = [places[out.name], places[self.step.spare(k)]]
                first, second = reversed(two) if even else two
                self.block.line(f"{kind} *{name}_next = {first}, *{name}_spare = {second};")

    def homes(self, rows: Mapping[int, str]) -> dict[str, str]:
        """The places to which the body writes its results. `rows` are pointers to the rows of
        stacked results."""
        found = {}
        for k, transfer in enumerate(self.step.transfers):
            if transfer.how == "written":
                home = f"{self.body.inputs[k]}_next" if k < self.count else rows[k]
                found[self.body.outputs[k]] = home
        return found

    def pass_on(self, known: Places, rows: Mapping[int, str]) -> None:
        """Prints the end of an iteration: copies, then assignments of pointers, then the swap of
        the two places of each value that rotates."""
        copied = [(k, t) for k, t in enumerate(self.step.transfers) if t.how == "copied"]
        for k, _ in copied:
            to = f"{self.body.inputs[k]}_next" if k < self.count else rows[k]
            self.block.copy(to, known[self.body.outputs[k]], self.body.output_types[k])
        for k, name, _, transfer in self.carried():
            if transfer.how == "shown":
                self.block.line(f"{name} = {known[self.body.outputs[k]]};")
        for _, name, out, transfer in self.carried():
            if transfer.rotates:
                kind = memory_type(out.type.dtype)
                turn = f"{name}_next = {name}_spare; {name}_spare = ({kind} *){name};"
                self.block.line(f"{name} = {name}_next; {turn}")

    def end(self, *, sure: bool) -> None:
        """Copies the carried values that are not in the results' own places after the loop. `sure`:
        rotating values are known to end there."""
        for _, name, out, transfer in self.carried():
            place = self.block.places[out.name]
            if not (transfer.rotates and sure):
                elsewhere = f"(const void *){name} != {place}" if transfer.rotates else ""
                self.block.copy(place, name, out.type, only_if=elsewhere)


def _scan(block: _Block) -> None:
    step, operation, w = block.step, block.step.operation, block.w
    (body,), length = step.plans, operation["length"]
    loop = _Loop(block, body, operation["carried"])
    _, scanned, rest = parts(step.inputs, loop.count, operation["scanned"])
    _, rows_in, fixed = parts(body.inputs, loop.count, operation["scanned"])
    block.open(f"{length} step{'' if length == 1 else 's'}")
    with w.indent():
        loop.begin(even=isinstance(length, int) and length % 2 == 0)
        down = f"long step = {length - 1}; step >= 0; step--"
        up = f"long step = 0; step < {length}; step++"
        block.line(f"for ({down if operation['reverse'] else up}) {{")
        with w.indent():
            for name, x in zip(rows_in, scanned, strict=True):
                block.line(_row(block, name, x, const=True))
            rows = {}
            for k, out in list(enumerate(step.outputs))[loop.count :]:
                rows[k] = f"{step.name}_row{k - loop.count}"
                block.line(_row(block, rows[k], out, const=False))
            known = {name: block.places[b.name] for name, b in zip(fixed, rest, strict=True)}
            known |= {name: name for name in (*body.inputs[: loop.count], *rows_in)}
            known |= loop.homes(rows)
            block.inner(body, known)
            loop.pass_on(known, rows)
        block.line("}")
        loop.end(sure=isinstance(length, int) and length > 0)
    block.line("}")


def _row(block: _Block, name: str, whole: BufferParam, *, const: bool) -> str:
    kind = memory_type(whole.type.dtype)
    size = atom(product(whole.type.shape[1:]))
    first = f"({'const ' if const else ''}{kind} *){block.places[whole.name]}"
    return _pointer(name, kind, f"{first} + step * {size}", const=const)


def _while(block: _Block) -> None:
    step, w = block.step, block.w
    cond, body = step.plans
    loop = _Loop(block, body, step.operation["carried"])
    block.open("while its condition holds")
    with w.indent():
        loop.begin(even=False)
        block.line("while (1) {")
        with w.indent():
            values = body.inputs[: loop.count]
            rest = [block.places[b.name] for b in step.inputs[loop.count :]]
            asked = dict(zip(cond.inputs, (*values, *rest), strict=True))
            flag = asked.get(cond.outputs[0]) or block.places[step.flag_name]
            block.inner(cond, {**asked, cond.outputs[0]: flag})
            block.line(f"if (!*(const unsigned char *){flag}) break;")
            known = dict(zip(body.inputs, (*values, *rest), strict=True)) | loop.homes({})
            block.inner(body, known)
            loop.pass_on(known, {})
        block.line("}")
        loop.end(sure=False)
    block.line("}")


# -- branches


def _case(block: _Block) -> None:
    index = block.places[block.step.inputs[0].name]
    block.open(f"one of {len(block.step.plans)} branches")
    with block.w.indent():
        block.line(f"switch (*(const int *){index}) {{")
        for number, plan in enumerate(block.step.plans):
            is_last = number == len(block.step.plans) - 1
            block.line("default: {" if is_last else f"case {number}: {{")
            with block.w.indent():
                _once(block, plan, block.step.inputs[1:])
                block.line("break;")
            block.line("}")
        block.line("}")
    block.line("}")


def _call(block: _Block) -> None:
    block.open("one unit")
    with block.w.indent():
        _once(block, block.step.plans[0], block.step.inputs)
    block.line("}")


def _once(block: _Block, plan: Plan, given: Sequence[BufferParam]) -> None:
    """A region's steps; its results are written where the operation's belong."""
    known = {name: block.places[b.name] for name, b in zip(plan.inputs, given, strict=True)}
    homes = dict(known)
    for name, out in zip(plan.outputs, block.step.outputs, strict=True):
        homes.setdefault(name, block.places[out.name])
    block.inner(plan, homes)
    for name, out in zip(plan.outputs, block.step.outputs, strict=True):
        if homes[name] != block.places[out.name]:
            block.copy(block.places[out.name], homes[name], out.type)


_EMIT: dict[str, Callable[[_Block], None]] = {
    "while": _while,
    "scan": _scan,
    "case": _case,
    "call": _call,
}
