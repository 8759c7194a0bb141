"""PyTorch's front end: a program is run once on fake tensors and becomes a graph.

A program that is no single graph (Python decides by a tensor's value, a gradient is asked for, two
arguments share memory that is written to) goes through TorchDynamo instead, which takes a hundred
times as long: `dynamo/`.
"""

import contextlib
import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.capture.faults import faults_are_ours
from compiler_core.capture.fresh import smaller, with_specials
from compiler_core.capture.names import identifier
from compiler_core.capture.torch import symbols
from compiler_core.capture.torch.arguments import Arguments, Result
from compiler_core.capture.torch.dynamo.backward import with_backward
from compiler_core.capture.torch.dynamo.capture import capture_pieces, run_by_torch
from compiler_core.capture.torch.dynamo.state import (
    bindings,
    generators,
    has_optimizer,
    python_state,
)
from compiler_core.capture.torch.errors import (
    capture_error,
    leaves_the_graph,
    takes_functions,
    wants_gradients,
)
from compiler_core.capture.torch.fixed import Fixed, without
from compiler_core.capture.torch.functions_followed import functions_followed, has_functions
from compiler_core.capture.torch.lower import Lowering
from compiler_core.capture.torch.names import argument_names, closed_over_names
from compiler_core.capture.torch.narrowing import narrowed
from compiler_core.capture.torch.runner import Runner
from compiler_core.capture.torch.sized_functions import SizesTaken, roots_followed
from compiler_core.capture.torch.text import op_name, text_of
from compiler_core.capture.torch.trace import Call, Trace, numbered, trace
from compiler_core.capture.torch.types import check_strided
from compiler_core.capture.torch.watching import watched
from compiler_core.errors import FuselabError, ProgramRaises
from compiler_core.interop.complex_pairs import pack
from compiler_core.interop.private import FakeTensorMode
from compiler_core.ir.sizes import Depends, Undecided
from compiler_core.report import CapturedOp
from compiler_core.snippet.devices import Placed, mode_for
from compiler_core.snippet.program import FoundProgram


def capture(program: FoundProgram) -> Captured:
    """The program as one graph, or as several where it is none (dynamo/). Raises CaptureError
    naming the snippet's line: ProgramRaises where torch itself does not run the program, whatever
    kept it from being captured."""
    for tensor in Arguments(program.args, program.kwargs).tensors:
        check_strided(tensor)
    try:
        captured = _capture(program)
    except (Undecided, ProgramRaises):
        raise
    except Exception:
        run_by_torch(program, Arguments(program.args, program.kwargs))
        raise
    if program.sizes and not captured.sizes and not captured.specialised:
        return replace(captured, specialised=_SEVERAL)
    return captured


def _capture(program: FoundProgram) -> Captured:
    arguments = Arguments(program.args, program.kwargs)
    if program.gradients:
        program = replace(program, fn=with_backward(program.fn, program.gradients))
        return capture_pieces(program, arguments, grad=True)
    if has_optimizer(program.fn, arguments.leaves):
        return capture_pieces(program, arguments, grad=True)
    if program.sizes:
        return _as_sizes_allow(program, arguments)
    # Closed-over tensors are made fake by the recorder; this lets constants through.
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    return _traced(program, arguments, mode, [mode.from_tensor(t) for t in arguments.tensors])


def _as_sizes_allow(program: FoundProgram, arguments: Arguments) -> Captured:
    """With its sizes as symbols, as far as its questions about them allow: of a range, where one
    is asked for; without those of which numbers are needed."""
    try:
        return _with_sizes(program, arguments)
    except Depends as question:
        less = narrowed(program, question)
        if less is None:
            return _with_fewer_sizes(program, question)
        return _because(capture(less.program), less.reason, question.line, less.of)
    except FuselabError as question:
        return _with_fewer_sizes(program, question)


def _because(found: Captured, reason: str, line: int | None, of: str = "") -> Captured:
    """The first reasons come first; where all sizes were given up, the last of them alone is. Why
    there is less of size `of` is no matter where that was given up later."""
    left = found.sizes and (not of or any(of in own for own in found.sizes))
    reasons = [reason] if left or not found.specialised else []
    said = "; ".join([*reasons, *filter(None, [found.specialised])])
    return replace(found, specialised=said, asked_on=line or found.asked_on)


def _with_fewer_sizes(program: FoundProgram, question: FuselabError) -> Captured:
    """With those sizes as symbols that `question` does not need: none where that is not known.
    What is wrong with the program at any size is raised."""
    fixed = question.names if isinstance(question, Fixed) else None
    left = without(program.sizes, fixed) if fixed else ()
    on = "" if question.line is None else f" (line {question.line})"
    reason = f"{question.message}{on}"
    return _because(capture(replace(program, sizes=left)), reason, question.line)


def _with_sizes(program: FoundProgram, arguments: Arguments) -> Captured:
    """With sizes that vary as symbols. Raises Undecided where the program asks for their values,
    or is no single graph; Fixed where it asks no more than whether some are a number."""
    mode = FakeTensorMode(
        allow_non_fake_inputs=True, shape_env=symbols.environment(), static_shapes=True
    )
    inputs = symbols.fakes(mode, arguments.tensors, program.sizes, program.ranges)
    narrow = symbols.assertions_narrow(mode)
    followed = functions_followed(), roots_followed(program.module)
    with symbols.no_layouts_compared(), followed[0], followed[1], SizesTaken(), narrow:
        captured = _traced(program, arguments, mode, inputs)
    for question in (symbols.fixed(mode), symbols.asked(mode)):
        if question is not None:
            raise question
    if captured.session is not None:
        raise Undecided(_SEVERAL)
    return replace(captured, sizes=program.sizes)


_SEVERAL = "the program is several graphs"


def _why(error: Exception) -> str:
    """Why a trace with symbols went no further."""
    if leaves_the_graph(error):
        return _SEVERAL
    line = next((line for line in str(error).splitlines() if line), type(error).__name__)
    if "SymInt" in line:
        named = re.match(r"(\w+)\(\)", line)
        who = f"torch's {named[1]}" if named else "an operation of torch"
        return f"{who} takes such a size as a number alone"
    # Some begin with the place in torch's own source.
    return re.sub(r"^\S+\.\w+:\d+: ", "", line)


def _traced(
    program: FoundProgram,
    arguments: Arguments,
    mode: FakeTensorMode,
    fakes: list[torch.Tensor],
) -> Captured:
    args, kwargs = arguments.call(fakes)
    given = [(fake, tuple(fake.shape)) for fake in fakes]
    names = bindings(program.fn, arguments.leaves)
    kept = python_state(program.fn, arguments.leaves)
    drawn_from = generators(program.fn, arguments.leaves)
    try:
        with mode_for(arguments.tensors) as devices, _output_if_whole(), names, kept:
            traced = trace(program.fn, args, kwargs, mode)
    except Exception as error:
        if program.sizes:
            raise Undecided(_why(error)) from error
        if not leaves_the_graph(error):
            raise capture_error(error) from error
        return capture_pieces(program, arguments, wants_gradients(error), takes_functions(error))
    if drawn_from.drawn():
        drawn_from.restore()
        return _in_python(program, arguments)
    if names.restored or kept.filled:
        return _in_python(program, arguments)
    if devices.rewritten:
        program = replace(program, fn=Placed(program.fn, devices))
    with faults_are_ours():
        captured = _captured(program, arguments, given, traced)
    return captured or capture_pieces(program, arguments, grad=False)


def _in_python(program: FoundProgram, arguments: Arguments) -> Captured:
    """A program whose graph is not all that a call does, or has the numbers of one call."""
    if program.sizes:
        raise Undecided(_SEVERAL)
    return capture_pieces(program, arguments, grad=False)


@contextlib.contextmanager
def _output_if_whole() -> Iterator[None]:
    """What a program prints is told once: where it leaves the graph, its next run tells."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        yield
    sys.stdout.write(printed.getvalue())


def _captured(
    program: FoundProgram,
    arguments: Arguments,
    given: Sequence[tuple[torch.Tensor, tuple[int, ...]]],
    traced: Trace,
) -> Captured | None:
    """`given` are the arguments with the shapes that they had. None where memory is written to that
    two inputs share: no graph has that."""
    lowering = Lowering(traced, closed_over_names(program.fn, program.args))
    names = argument_names(program.fn, program.args, program.kwargs)
    for place, (fake, shape) in zip(arguments.places, given, strict=True):
        lowering.parameter(fake, names[place], shape)
    lowering.run()
    written = lowering.written_inputs()
    result = Result(traced.result, program.line, or_nothing=bool(written))
    outputs = [lowering.read(t) for t in result.tensors]
    if _share_memory((*arguments.tensors, *lowering.lifted), written):
        return None
    inputs = [(name, tensor) for name, tensor, _ in lowering.inputs]
    outputs += [lowering.read(inputs[i][1][0]) for i in written]
    written_names = tuple(inputs[i][0] for i in written)
    lines = text_of(program.name, inputs, traced.calls, result.tensors, written_names)
    functions = has_functions(traced.calls)
    # torch has one fake tensor for both.
    passed_too = [i for i, (fake, _) in enumerate(given) if id(fake) in traced.real]
    run = Runner(
        program.fn, arguments, tuple(lowering.lifted), frozenset(written), functions, passed_too
    )
    nodes = [_node(i, call, program.line) for i, call in numbered(traced.calls, 0)]
    graph = CapturedGraph.of(
        lowering.graph(identifier(program.name), outputs), nodes, lines, "aten",
        name=program.name, line=program.line,
        # Under a mode of dispatch TorchDynamo gives up what torch.cond and its kin take, for good.
        watch=None if functions else watched(run.under, [n.op for n in nodes]),
    )  # fmt: skip
    return Captured(
        graphs=(graph,),
        arguments=tuple(map(pack, (*arguments.tensors, *lowering.lifted))),
        fresh=run.fresh,
        special=lambda seed: run.fresh(seed, with_specials),
        smaller=lambda: run.fresh(0, smaller),
        rebuild=result.rebuild,
        eager=run.eager,
        exact=run.exact,
        native=program.fn,
        call=run.call,
        written=written_names,
        by=run.by,
    )


def _share_memory(inputs: Sequence[torch.Tensor], written: Sequence[int]) -> bool:
    """Whether one of the written inputs shares its memory with another input."""
    storages = [x.untyped_storage()._cdata for x in inputs]
    return any(storages.count(storages[i]) > 1 for i in written)


def _node(number: int, call: Call, entry: int | None) -> CapturedOp:
    line, column, end = call.place or (entry, None, None)
    return CapturedOp(number, op_name(call.func), line, column, scope=call.scope, end=end)
