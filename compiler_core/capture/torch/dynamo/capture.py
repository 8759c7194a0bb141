"""Capture of a torch program that is not one graph: the graphs, what one saves for another, and the
Python that runs between them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec import structs

from compiler_core.capture.captured import Captured, CapturedGraph, Outside
from compiler_core.capture.faults import faults_are_ours, is_ours
from compiler_core.capture.fresh import smaller, with_specials
from compiler_core.capture.torch.arguments import Arguments, Result
from compiler_core.capture.torch.dynamo import aot, private
from compiler_core.capture.torch.dynamo.backward import own_name
from compiler_core.capture.torch.dynamo.between import Between, lines_between
from compiler_core.capture.torch.dynamo.breaks import (
    BACKWARD,
    FAILS,
    INNER,
    TWICE,
    file_of,
    graph_breaks,
    line_of,
    readable,
)
from compiler_core.capture.torch.dynamo.joint import with_joint
from compiler_core.capture.torch.dynamo.outside import outside
from compiler_core.capture.torch.dynamo.pieces import Piece, Recorder
from compiler_core.capture.torch.dynamo.recurrence import recurrent_layers
from compiler_core.capture.torch.dynamo.session import Given, Session
from compiler_core.capture.torch.dynamo.skips import Skipped, skipped
from compiler_core.capture.torch.dynamo.state import Begun
from compiler_core.capture.torch.dynamo.step_trace import why_not
from compiler_core.capture.torch.errors import wants_gradients
from compiler_core.errors import (
    REPORT_IT,
    CaptureError,
    FuselabError,
    ProgramRaises,
    sentence_of,
)
from compiler_core.interop.complex_pairs import pack
from compiler_core.report import GraphBreak, PythonSegment
from compiler_core.snippet.devices import Mode, mode_for
from compiler_core.snippet.output import suppress, unlogged
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import raised_by_program
from compiler_core.snippet.source import FILE, Place
from compiler_core.snippet.source import line_of as line_in_snippet


def capture_pieces(
    program: FoundProgram,
    arguments: Arguments,
    grad: bool,
    functions: bool = False,
    twice: GraphBreak | None = None,
) -> Captured:
    """The program's graphs, by running it on copies of its arguments. `grad`: with autograd.
    `functions`: it is known to pass functions to torch.cond or the like. `twice`: where it
    differentiates a gradient and is no single graph, so that torch runs the parts that record
    gradients. Raises CaptureError naming the snippet's line."""
    try:
        with recurrent_layers() as layers, aot.recorded_gradients() as again:
            mode, begun = _settled(program, arguments, grad)
    except ProgramRaises as error:
        if grad or not wants_gradients(error.__cause__):
            raise
        return capture_pieces(program, arguments, True, functions, twice)
    one = _as_one_graph(program, arguments, mode) if again.called and twice is None else ""
    if isinstance(one, Captured):
        return one
    followed = layers.followed
    session = Session(program.fn, arguments, grad, mode, functions, followed, begun)
    between = Between()
    session.recorder.on_piece = between.meet
    session.recorder.differentiated_twice = twice is not None
    _as_written(session.recorder, program)
    private.forget()
    try:
        with unlogged():
            with private.on_bytecode(between.record):
                value = session.compiled(session.prepare(_flat(arguments)))
            in_python = bool(twice or private.break_reasons()) and session.has_new_tensor(value)
            by_torch = _by_torch(session, session.prepare(_flat(arguments)))
    except Exception as error:
        if twice is None and aot.is_double_backward(error):
            reason = f"{TWICE}; the call is no single graph: {one}" if one else TWICE
            remedy = INNER
            if not again.called:
                reason, remedy = FAILS.format(sentence_of(error)), ""
            at = GraphBreak(reason, line_in_snippet(error) or program.line, remedy)
            return capture_pieces(program, arguments, grad, functions, at)
        raise _not_followed(error, program.line) from error
    finally:
        reasons, frames = private.break_reasons(), private.skipped_frames()
        session.restore()
    with faults_are_ours():
        left = skipped(frames)
        found = _captured(program, arguments, session, between, value, reasons, left, in_python)
    breaks = (*found.graph_breaks, *session.recorder.refused, *filter(None, [twice]))
    return replace(found, outside=by_torch, graph_breaks=breaks)


def _as_one_graph(program: FoundProgram, arguments: Arguments, mode: Mode | None) -> Captured | str:
    """A program that takes the gradient of a gradient, as one graph; or why it is none."""
    session = Session(program.fn, arguments, True, mode)
    session.as_whole_step()
    between = Between()
    session.recorder.on_piece = between.meet
    _as_written(session.recorder, program)
    try:
        with unlogged(), suppress():
            value = session.compiled(session.prepare(_flat(arguments)))
    except Exception as error:
        return why_not(error)
    finally:
        session.restore()
    with faults_are_ours():
        return _captured(program, arguments, session, between, value, (), (), False)


def _by_torch(session: Session, given: Given) -> Outside:
    """What torch runs itself where what was compiled is run once more. Raises ProgramRaises where
    the program does not run twice."""
    try:
        with suppress():
            return outside(lambda: session.compiled(given))
    except Exception as error:
        raise raised_by_program(error, "torch", again=True) from error


def _as_written(recorder: Recorder, program: FoundProgram) -> None:
    """Lines and names are the snippet's, also where a backward pass was appended to a module."""
    line = program.called or program.line
    recorder.entry = None if line is None else Place(line, 1)
    if program.gradients:
        recorder.renamed = partial(own_name, program.fn)


def run_by_torch(program: FoundProgram, arguments: Arguments) -> None:
    """Raises ProgramRaises where torch itself does not run the program."""
    try:
        _settled(program, arguments, grad=bool(program.gradients))
    except ProgramRaises as error:
        if not wants_gradients(error.__cause__):
            raise


def _settled(
    program: FoundProgram, arguments: Arguments, grad: bool
) -> tuple[Mode | None, list[Begun]]:
    """Runs the program once as it is: what fails here is the program's own. Gives the mode that it
    needs, if any, and what its optimizers began to keep in their first step."""
    session = Session(program.fn, arguments, grad)
    # torch.cond runs through Dynamo by itself, which still has what failed on fake tensors.
    private.forget()
    try:
        with suppress(), mode_for(arguments.tensors) as devices:
            session.eager(session.prepare(_flat(arguments)))
            begun = session.state.begun()
    except Exception as error:
        raise raised_by_program(error, "torch") from error
    finally:
        session.restore()
    return (devices if devices.rewritten else None), begun


def _not_followed(error: Exception, entry: int | None) -> FuselabError:
    """What Dynamo cannot do with a program that runs, or what we cannot do with Dynamo's graphs."""
    cause = private.raised_in_backend(error)
    if isinstance(cause, FuselabError):
        return cause
    line = line_of(getattr(error, "real_stack", None)) or line_in_snippet(error) or entry
    if is_ours(cause):
        return CaptureError(
            f"the graphs of TorchDynamo were not recorded: {sentence_of(cause)}",
            line=line, remedy=REPORT_IT,
        )  # fmt: skip
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = next((x for x in lines if not x.endswith("raised:")), "")
    explained = next((x for x in lines if x.startswith("Explanation:")), first)
    text = explained.removeprefix("Explanation:").strip() or type(error).__name__
    hint = next((x.removeprefix("Hint:").strip() for x in lines if x.startswith("Hint:")), "")
    return CaptureError(
        f"TorchDynamo does not follow the program: {readable(text)}",
        line=line,
        remedy=readable(hint) or "leave this part outside of the compiled function",
    )


def _flat(arguments: Arguments) -> tuple[Any, ...]:
    return tuple(map(pack, arguments.tensors))


def _captured(
    program: FoundProgram,
    arguments: Arguments,
    session: Session,
    between: Between,
    value: Any,
    reasons: Sequence[Any],
    left: Sequence[Skipped],
    in_python: bool,
) -> Captured:
    for piece in between.in_order(session.recorder.pieces):
        session.add(piece)
    if not session.lowered and not left and not in_python:
        raise CaptureError(
            "TorchDynamo finds no operation on tensors to compile", line=program.line,
            remedy="compile a function that computes with tensors",
        )  # fmt: skip
    graphs = tuple(named(with_joint(session.lowered), [x.piece for x in session.lowered]))
    ids = {x.piece: x.graph.id for x in session.lowered}
    breaks = [*graph_breaks(reasons), *(x.at for x in left)]
    file = file_of(reasons) or next((x.file for x in left), "")
    return Captured(
        graphs=graphs,
        arguments=_flat(arguments),
        fresh=session.fresh,
        special=lambda seed: session.fresh(seed, with_specials),
        smaller=lambda: session.fresh(0, smaller),
        rebuild=Result(value, program.line, or_nothing=True).rebuild,
        eager=session.run_eager,
        exact=session.exact,
        native=program.fn,
        call=session.prepare,
        graph_breaks=tuple(_with_line(b, program) for b in breaks if not _is_appended(b, program)),
        python=(*between.segments(breaks, left, file, ids), *_before_backward(program, graphs)),
        session=session,
        grad=session.grad,
    )


def _is_appended(each: GraphBreak, program: FoundProgram) -> bool:
    """Whether it is where the backward pass was appended: the snippet calls that outside of what it
    compiles, where no graph is to be broken."""
    return bool(program.gradients) and each.line is None and each.reason == BACKWARD


def _with_line(each: GraphBreak, program: FoundProgram) -> GraphBreak:
    """A break in the backward pass that was appended to the program is where the snippet runs
    it; one in code of torch's alone is where the snippet calls the program, or defines it."""
    line = each.line or program.backward or program.called or program.line
    return structs.replace(each, line=line)


def _before_backward(
    program: FoundProgram, graphs: Sequence[CapturedGraph]
) -> Iterator[PythonSegment]:
    """What the snippet runs between a compiled call and the backward pass through its results."""
    forward = [g.id for g in graphs if g.role == "forward"]
    if program.backward is not None and program.gradients and forward:
        yield lines_between(FILE, program.called, program.backward, forward[-1])


def named(graphs: Sequence[CapturedGraph], pieces: Sequence[Piece]) -> list[CapturedGraph]:
    """The graphs with names for people: `piece 1 of 2`, `forward`, `backward`; a graph of torch's
    own code has the name of its function."""
    named_graphs = []
    for graph, piece in zip(graphs, pieces, strict=True):
        alike = [g.id for g in graphs if g.role == graph.role]
        count = f" {alike.index(graph.id) + 1} of {len(alike)}" if len(alike) > 1 else ""
        part = f" ({piece.part})" if piece.part else ""
        named_graphs.append(replace(graph, name=f"{graph.role}{count}{part}"))
    return named_graphs
