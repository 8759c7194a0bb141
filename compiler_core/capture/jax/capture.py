"""JAX's front end: a function is traced to a jaxpr, and the jaxpr lowered to a graph.

Nothing runs on a device: arguments that are numpy arrays are converted to jax.Arrays only when
`Captured.arguments` is read.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.capture.faults import faults_are_ours
from compiler_core.capture.fresh import Draw, resample, smaller, with_specials
from compiler_core.capture.jax import symbols
from compiler_core.capture.jax.errors import capture_error
from compiler_core.capture.jax.float64 import InFloat64
from compiler_core.capture.jax.leaked import refuse_leaked
from compiler_core.capture.jax.lower import Lowering
from compiler_core.capture.jax.private import errors_numbered
from compiler_core.capture.jax.statics import Statics
from compiler_core.capture.jax.text import shown_type
from compiler_core.capture.jax.traces import Traces
from compiler_core.capture.jax.undivided import is_divided, undivided
from compiler_core.capture.jax.watching import watched
from compiler_core.capture.names import identifier
from compiler_core.capture.no_result import no_result
from compiler_core.errors import FuselabError, NoReference
from compiler_core.interop.packed import compared, is_packed, pack, unpack
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.signature import argument_names
from compiler_core.snippet.varying import Sizes
from compiler_core.snippet.virtual_devices import count

# The user's function for a primitive that is called for its effect alone.
_CALLED = {"debug_print": "jax.debug.print", "debug_callback": "jax.debug.callback"}


def capture(program: FoundProgram) -> Captured:
    """Traces and lowers a JAX program; one that is sharded over devices is captured as the same
    program on one device. Raises CaptureError with the snippet's line."""
    # Only with several devices, or with a mesh, can what is no shard_map speak of devices.
    program = _undivided(program) if count() > 1 or program.mesh is not None else program
    statics = Statics(program)
    native = _native(statics, program.name)
    reason = ""
    leaves, tree = jax.tree.flatten((statics.args, statics.kwargs))
    names = _size_names(leaves, program.sizes)
    multiples: Mapping[str, int] | None = {} if names else None
    while multiples is not None:
        try:
            call = jax.tree.unflatten(tree, symbols.structs(leaves, names, multiples))
            return replace(_traced(program, statics, native, call), sizes=names)
        except (FuselabError, TypeError, ValueError) as question:
            reason = _first_line(question)
            multiples = symbols.multiples_for(reason, multiples, leaves, names)
    call = statics.args, statics.kwargs
    return replace(_traced(program, statics, native, call), specialised=reason)


def _undivided(program: FoundProgram) -> FoundProgram:
    try:
        return undivided(program)
    except Exception as error:
        raise capture_error(error) from error


def _size_names(leaves: Sequence[Any], sizes: Sizes) -> Sizes:
    """Of each leaf, also of those that are no arrays; () where no size varies."""
    left = iter(sizes)
    return tuple(next(left) if hasattr(x, "shape") else () for x in leaves) if sizes else ()


def _first_line(error: Exception) -> str:
    lines = str(getattr(error, "message", error)).splitlines()
    return next((line.strip() for line in lines if line.strip()), type(error).__name__)


def _traced(
    program: FoundProgram,
    statics: Statics,
    native: Callable[..., Any],
    call: tuple[tuple[Any, ...], dict[str, Any]],
) -> Captured:
    """The program for a call's arguments and keyword arguments, with arrays or what stands for
    them."""
    try:
        closed, shapes = jax.make_jaxpr(native, return_shape=True)(*call[0], **call[1])
    except Exception as error:
        raise capture_error(error) from error
    finally:
        statics.were_traced()
    refuse_leaked(closed)
    if is_divided(closed):
        return capture(_undivided(program))
    with faults_are_ours():
        return _captured(program, statics, native, closed, shapes)


def _native(statics: Statics, name: str) -> Callable[..., Any]:
    """A plain function: jax.jit wants a name, and a cache entry of its own."""

    def native(*args: Any, **kwargs: Any) -> Any:
        with errors_numbered():
            return statics(*args, **kwargs)

    native.__name__ = native.__qualname__ = identifier(name)
    return native


def _captured(
    program: FoundProgram, statics: Statics, native: Callable[..., Any], closed: Any, shapes: Any
) -> Captured:
    leaves, spec = jax.tree.flatten((statics.args, statics.kwargs))
    lowering = Lowering(entry=program.line)
    avals = [v.aval for v in closed.jaxpr.invars]
    names = list(leaf_names(program, statics))
    inputs = [lowering.parameter(a, n) for a, n in zip(avals, names, strict=True)]
    results = lowering.run(closed.jaxpr, closed.consts, inputs)
    outputs = [lowering.node(r, v.aval) for r, v in zip(results, closed.jaxpr.outvars, strict=True)]
    if not outputs:
        raise no_result(None, "array", program.line)
    params = [*zip(names, avals, strict=True)]
    params += [(f"constant{i}", jax.typeof(x)) for i, x in enumerate(lowering.lifted)]
    head = ", ".join(f"%{n}: {shown_type(a)}" for n, a in params)
    shown = ", ".join(r.name if r.node is None else f"%{r.name}" for r in results)
    lines = [(f"{program.name}({head})", ()), *lowering.lines, (f"  return {shown}", ())]
    run = Runner(native, leaves, spec, avals, tuple(lowering.lifted))
    out_spec, returned = jax.tree.structure(shapes), closed.out_avals
    operations = lowering.functions.named(lowering.operations)
    graph = CapturedGraph.of(
        lowering.b.graph(identifier(program.name), outputs), operations, lines, "jaxpr",
        name=program.name, line=program.line,
        watch=watched(run.traces, run.in_float64, run.call, lowering.walked),
    )  # fmt: skip
    return Captured(
        graphs=(graph,),
        arguments=Arrays(leaves, avals, lowering.lifted),
        fresh=run.fresh,
        special=lambda seed: run.fresh(seed, with_specials),
        smaller=lambda: run.fresh(0, smaller),
        rebuild=lambda flat: jax.tree.unflatten(out_spec, list(map(unpack, flat, returned))),
        eager=run.eager,
        exact=run.exact,
        native=native,
        again=run.traces.run,
        call=run.call,
        effects=tuple((_CALLED.get(name, name), line) for name, line in lowering.effects),
        factorizations=tuple(lowering.factorizations),
    )


def leaf_names(program: FoundProgram, statics: Statics) -> Iterator[str]:
    """The names of the leaves of the traced arguments: x, params[w]."""
    known = argument_names(program.fn)
    free = [i for i in range(len(program.args)) if i not in statics.fixed]
    for index, arg in zip(free, statics.args, strict=True):
        name = known[index] if index < len(known) else f"arg{index}"
        yield from (name + path for path in _paths(arg))
    for name in sorted(statics.kwargs):
        yield from (name + path for path in _paths(statics.kwargs[name]))


def _paths(tree: Any) -> list[str]:
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [jax.tree_util.keystr(path).replace("'", "").replace('"', "") for path, _ in leaves]


class Arrays(Sequence[Any]):
    """The graph's inputs as JAX arrays, which are created at the first access: creating one starts
    JAX's client and its threads."""

    def __init__(self, leaves: Sequence[Any], avals: Sequence[Any], lifted: Sequence[Any]) -> None:
        self._sources = (*zip(leaves, avals, strict=True), *((x, None) for x in lifted))
        self._arrays: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, index: Any) -> Any:
        if self._arrays is None:
            self._arrays = tuple(_array(x, aval) for x, aval in self._sources)
        return self._arrays[index]


def _array(value: Any, aval: Any) -> Any:
    """The array that goes into the graph, in the type that JAX traces it with."""
    aval = jax.typeof(value) if aval is None else aval
    if is_packed(aval):
        return pack(jax.numpy.asarray(value), aval)
    return jax.numpy.asarray(value, dtype=aval.dtype)


class Runner:
    """The program run by JAX itself, called with the graph's flat inputs."""

    def __init__(
        self,
        native: Callable[..., Any],
        leaves: Sequence[Any],
        spec: Any,
        avals: Sequence[Any],
        lifted: tuple[Any, ...],
    ) -> None:
        self.native, self.leaves, self.spec = native, leaves, spec
        self.avals, self.lifted = avals, lifted
        self.traces = Traces(native)
        self.in_float64 = InFloat64(self.traces)

    def call(self, flat: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) of the user's function for the graph's flat inputs."""
        given = [unpack(x, aval) for x, aval in zip(flat, self.avals, strict=False)]
        args, kwargs = jax.tree.unflatten(self.spec, given)
        return args, kwargs

    def eager(self, flat: Sequence[Any]) -> list[Any]:
        """The flat outputs of the user's function."""
        args, kwargs = self.call(flat)
        leaves = jax.tree.leaves(self.traces.run(*args, **kwargs))
        jax.effects_barrier()  # what it prints has been printed
        return [*map(compared, leaves)]

    def exact(self, flat: Sequence[Any]) -> list[Any]:
        """The flat outputs in float64. Raises NoReference."""
        args, kwargs = self.call(flat)
        try:
            return self.in_float64(args, kwargs)
        except Exception as error:
            raise NoReference(error) from error

    def fresh(self, seed: int, draw: Draw = resample) -> tuple[Any, ...]:
        """The graph's inputs with new random values for the floating-point arguments."""
        generator = np.random.default_rng(seed)
        arrays = [
            _redrawn(x, aval, lambda x: draw(x, generator))
            for x, aval in zip(self.leaves, self.avals, strict=True)
        ]
        return (*arrays, *(_array(x, None) for x in self.lifted))


def _redrawn(value: Any, aval: Any, draw: Callable[[Any], Any]) -> Any:
    if is_packed(aval) or not jax.numpy.issubdtype(aval.dtype, jax.numpy.floating):
        return _array(value, aval)
    return jax.numpy.asarray(draw(np.asarray(value, dtype=aval.dtype)))
