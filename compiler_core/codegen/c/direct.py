"""A convolution in C, one tile of features and positions of the result in registers at a time.

static void k0_convolution(const float *restrict lhs, ..., float *restrict image, int threads) {
    ...  // the image with its padding
    for (int place = 0; place < 3246; place += PLACES)
        for (int feature = 0; feature < 64; feature += FEATURES)
            k0_convolution_tile(image, rhs + feature * 576, ..., place, FEATURES, PLACES);
}

Where products with padding and gaps must be left out of the sums, another tile function skips them
(`marks.py`).
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import prod

from compiler_core.codegen.c.convolution_end import ended, is_linear, results, stored
from compiler_core.codegen.c.convolution_sums import (
    Terms,
    in_vectors,
    most_sums,
    without_marks,
)
from compiler_core.codegen.c.expressions import joined, scaled
from compiler_core.codegen.c.marks import look
from compiler_core.codegen.c.padded_image import copy_image, upcast_place, upcast_weights
from compiler_core.codegen.c.signature import listed
from compiler_core.codegen.c.types import lanes, memory_type
from compiler_core.codegen.c.window_offsets import offset_tables
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.sizes import Dim, at_most, atom, symbols
from compiler_core.ir.types import DType, strides
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution
from compiler_core.plan.plan import Launch
from compiler_core.schedule.cpu.direct import DirectSchedule, Layout
from compiler_core.schedule.cpu.schedule import register

# One tile function is compiled for each number of features, the other is rarely run.
_INLINED = {"tile": "inline __attribute__((always_inline))", "marked": "__attribute__((noinline))"}


def shape(launch: Launch) -> object:
    """A key that is equal for convolutions that can share a function; one with a kernel at its end
    has a function of its own."""
    step, fragment = _parts(launch)
    sides = tuple((x.strides, x.offset) for x in (step.lhs, step.rhs))
    numbers = tuple(launch.schedule.parameters.items())
    return step.sizes, step.dtype, sides, numbers, launch.step.name * bool(fragment)


def call(launch: Launch) -> tuple[str, ...]:
    """The names of the buffers that the function is called with, in order."""
    step, _ = _parts(launch)
    given = (step.lhs.buffer, step.rhs.buffer, *_written(launch), *step.scratch)
    return tuple(b.name for b in given)


def dtype(launch: Launch) -> DType:
    """The type in which elements are multiplied."""
    return register(_parts(launch)[0].dtype)


def function(alike: Sequence[Launch]) -> Source:
    """The function of convolutions with equal keys."""
    printer = _Printer(alike[0], tuple(sorted({o for x in alike for o in x.step.origins})))
    printer.run()
    return printer.w.source(alike[0].step.name, "c")


def _parts(launch: Launch) -> tuple[ConvolutionStep, Fragment | None]:
    step = launch.step
    assert isinstance(step, ConvolutionStep | FusedConvolution)
    return step.conv, step.epilogue


def _written(launch: Launch) -> tuple[BufferParam, ...]:
    """What the tiles' results go to, and what else is read for them."""
    step, fragment = _parts(launch)
    if fragment is None:
        return (step.out,)
    return tuple(b for b in fragment.kernel.buffers if b.name != step.out.name)


class _Printer:
    def __init__(self, launch: Launch, origins: tuple[int, ...]) -> None:
        step, self.fragment = _parts(launch)
        assert isinstance(launch.schedule, DirectSchedule)
        self.step, self.schedule, self.origins, self.w = step, launch.schedule, origins, Writer()
        self.name, self.written = launch.step.name, _written(launch)
        self.v, self.layout, self.kind = step.sizes, Layout(step.sizes), memory_type(step.dtype)
        self.computed = register(step.dtype)
        self.sums, self.lanes = most_sums(self.computed), lanes(self.computed)
        self.read = memory_type(self.computed)
        self.weights = upcast_place(self.layout) if self.read != self.kind else "rhs"
        out = dict(zip(self.v.out_dims, range(self.v.rank + 2), strict=True))
        self.out = [strides(step.out.type.shape)[d] for d in sorted(out, key=out.__getitem__)]
        self.follows = self._rows_follow()
        self.symbols = launch.step.symbols
        self.marks = self.v.reads_no_zeros and self.schedule.packed
        # Offsets are int where that is wide enough.
        self.index = "int" if at_most(self._channel() * self.v.channels, 2**31 - 1) else "long"

    def run(self) -> None:
        w, name = self.w, self.name
        self.of_image, self.of_kernel = offset_tables(w, self.step, self.layout, name, self.origins)
        self._tile()
        if self.marks:
            self._tile("marked")
        w.line()
        for part in self.schedule.reason.split("; "):
            w.line(f"// {part}", self.origins)
        kind = f"const {self.kind} *restrict"
        params = [f"{kind} lhs", f"{kind} rhs"]
        params += self._params(" restrict") if self.fragment else [f"{self.kind} *restrict out"]
        params += [f"{self.read} *restrict image"] * self.schedule.packed
        params += ["int threads"] * self.schedule.threads
        params += [f"long {symbol}" for symbol in self.symbols]
        w.line(f"static void {name}(", self.origins)
        listed(w, params)
        w.line(") {")
        with w.indent():
            if self.marks:
                look(w, self.step)
            with self._team():
                if self.schedule.packed:
                    self._share(1)
                    copy_image(w, self.step, self.layout, marks=self.marks)
                if self.read != self.kind:
                    self._share(1)
                    upcast_weights(w, self.step, self.layout)
                self._tiles()
        w.line("}")

    def _params(self, restrict: str) -> list[str]:
        """The buffers of the kernel at the end."""
        return [
            f"{'const ' if b.role == 'in' else ''}{memory_type(b.type.dtype)} *{restrict.strip()}"
            f"{' ' * bool(restrict)}{b.name}"
            for b in self.written
        ]

    def _rows_follow(self) -> bool:
        """Whether the results of an image are a line of memory, as the tiles' places are."""
        v, length, steps = self.v, self.layout.length, tuple(self.out[2:])
        whole = length == prod(v.out) and length >= self.schedule.places
        return whole and steps == self.layout.pitches and is_linear(v, self.fragment)

    # -- one tile

    def _tile(self, tile: str = "tile") -> None:
        """The one for images with marks leaves these out."""
        w, v, name = self.w, self.v, f"{self.name}_{tile}"
        w.line("// Some features at some places, from `first` on.", self.origins)
        w.line(f"static {_INLINED[tile]} void {name}(", self.origins)
        place = ["long n" if symbols(v.batch) else "int n", "int feature"]
        given = [*self._params(""), *place] if self.fragment else [f"{self.kind} *out"]
        kind = f"const {self.read} *"
        listed(w, [f"{kind}image", f"{kind}kernel", *given], ",")
        more = "".join(f", long {symbol}" for symbol in self.symbols)
        w.line(f"    int first, int features, int places{more}")
        w.line(") {")
        with w.indent():
            sums = in_vectors if tile == "tile" else without_marks
            sums(w, self._terms())
            pitches, follows = self.layout.pitches, self.follows
            results(w, v, pitches, self.origins, self._results, follows=follows)
        w.line("}")

    def _terms(self) -> Terms:
        feature, channel = self.step.rhs.strides[:2]
        return Terms(
            self.computed,
            self.v.channels,
            prod(self.v.window),
            image=joined(scaled("c", self._channel()), self.of_image, "first"),
            kernel=joined(scaled("f", feature), scaled("c", channel), self.of_kernel),
            counter=self.index,
            origins=self.origins,
        )

    def _channel(self) -> Dim:
        """Elements from one channel of the image to the next."""
        return self.layout.channel if self.schedule.packed else self.step.lhs.strides[1]

    def _results(self) -> None:
        w, v = self.w, self.v
        if self.fragment is None:
            return stored(w, self.out, self.step.dtype, self.origins, follows=self.follows)
        ended(w, v, self.fragment, self.step.dtype, follows=self.follows)

    # -- the whole

    @contextmanager
    def _braces(self, header: str) -> Iterator[None]:
        self.w.line(f"{header} {{".lstrip(), self.origins)
        with self.w.indent():
            yield
        self.w.line("}")

    @contextmanager
    def _team(self) -> Iterator[None]:
        """The threads, which share both loops that follow."""
        if not self.schedule.threads:
            yield
            return
        self.w.line("#pragma omp parallel num_threads(threads)")
        with self._braces(""):
            yield

    def _share(self, count: int) -> None:
        if self.schedule.threads:
            self.w.line(f"#pragma omp for{f' collapse({count})' if count > 1 else ''}")

    def _tiles(self) -> None:
        w, v = self.w, self.v
        length, rhs = self.layout.length, self.step.rhs
        w.line(f"enum {{ BLOCKS = ({v.features} + MOST_FEATURES - 1) / MOST_FEATURES,")
        w.line(f"       FEATURES = ({v.features} + BLOCKS - 1) / BLOCKS,")
        w.line(f"       MOST_PLACES = {self.sums} / FEATURES / {self.lanes} * {self.lanes},")
        most = -(-length // 16) * 16
        w.line(f"       PLACES = MOST_PLACES < {most} ? MOST_PLACES : {most} }};")
        many = [(n, size) for n, size in (("n", v.batch), ("g", v.groups)) if size != 1]
        self._share(len(many) + 2)
        with ExitStack() as open_:
            for name, size in many:
                counter = "long" if symbols(size) else "int"
                w.line(f"for ({counter} {name} = 0; {name} < {size}; {name}++)", self.origins)
                open_.enter_context(w.indent())
            loops = [
                f"for (int place = 0; place < {length}; place += PLACES)",
                f"for (int feature = 0; feature < {v.features}; feature += FEATURES)",
            ]
            outer, inner = loops[:: -1 if self.schedule.outer == "features" else 1]
            w.line(outer, self.origins)
            open_.enter_context(w.indent())
            open_.enter_context(self._braces(inner))
            group = v.features * rhs.strides[0]
            kernel = self._pointer(self.weights, rhs.offset, 0, group, rhs.strides[0])
            w.line(f"const {self.read} *x = {self._image()};", self.origins)
            w.line(f"const {self.read} *y = {kernel};", self.origins)
            if self.fragment is None:
                out = self._pointer("out", 0, self.out[0], v.features * self.out[1], self.out[1])
                w.line(f"{self.kind} *z = {out};", self.origins)
            self._calls()

    def _image(self) -> str:
        """Where the image or group of images begins that a tile reads."""
        v, lhs = self.v, self.step.lhs
        group = v.channels * self._channel()
        if self.schedule.packed:
            return self._pointer("image", 0, v.groups * group, group, 0)
        return self._pointer("lhs", lhs.offset, lhs.strides[0], group, 0)

    def _pointer(self, name: str, start: Dim, batch: Dim, group: Dim, feature: Dim) -> str:
        v = self.v
        parts = [name]
        parts += [str(start)] * (start != 0)
        parts += [f"(long)n * {atom(batch)}"] * (v.batch != 1 and batch != 0)
        parts += [f"(long)g * {atom(group)}"] * (v.groups > 1 and group != 0)
        parts += [f"(long)feature * {atom(feature)}"] * (feature != 0)
        return " + ".join(parts)

    def _given(self) -> str:
        """Where a tile's results go, and which they are."""
        if self.fragment is None:
            return "z, first"
        feature = f"g * {self.v.features} + feature" if self.v.groups > 1 else "feature"
        names = ", ".join(b.name for b in self.written)
        return f"{names}, {'n' if self.v.batch != 1 else '0'}, {feature}, first"

    def _calls(self) -> None:
        """Calls for complete tiles, and for those with fewer features. A copy of the image has
        slack at its end. Where the image is read in place, or results are stored without looking
        where a row ends, the last tile reaches back over the one before."""
        features, other = self.v.features, ""
        if self.follows or not self.schedule.packed:
            last = self.layout.length
            self.w.line(f"int first = place + PLACES <= {last} ? place : {last} - PLACES;")
        else:
            self.w.line("int first = place;")
        if self.marks:
            self.w.line("if (marks) {")
            with self.w.indent():
                rest, other = f"{features} - feature", "} else "
                self._call(f"{rest} < FEATURES ? {rest} : FEATURES", "marked")
        self.w.line(f"{other}if (feature + FEATURES <= {features}) {{")
        with self.w.indent():
            self._call("FEATURES")
        self.w.line("} else {")
        with self.w.indent():
            self._call(f"{features} % FEATURES")
        self.w.line("}")

    def _call(self, count: str, tile: str = "tile") -> None:
        head = f"{self.name}_{tile}(x, y, {self._given()}, {count}, PLACES"
        self.w.line(f"{head}{''.join(f', {symbol}' for symbol in self.symbols)});", self.origins)
