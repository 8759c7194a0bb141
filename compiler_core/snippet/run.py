"""Finds the programs of a snippet. Those of a StableHLO module are its functions. For Python, the
first of these that finds any:

1. calls through torch.compile or jax.jit; 2. the convention Model, get_inputs, get_init_inputs; 3.
a plain function, module or class with inputs from the options or from a comment; 4. what the
snippet itself calls with tensors, or passes to tools of the frameworks (export, make_jaxpr); 5.
functions, modules and classes for which a guess at the inputs succeeds.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace

from compiler_core.errors import SnippetError
from compiler_core.report import Failure, Options, is_module
from compiler_core.snippet import ambient_mesh, convention, eager_jax, virtual_devices
from compiler_core.snippet.absent import stand_ins, without_unused
from compiler_core.snippet.annotating import readable
from compiler_core.snippet.asked import Asked
from compiler_core.snippet.execute import execute, new_module, snippet_error
from compiler_core.snippet.intercept import Interceptor
from compiler_core.snippet.meshes import Meshes
from compiler_core.snippet.missing import is_for_want, with_missing
from compiler_core.snippet.output import Emit, notice, stream
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import is_interrupt
from compiler_core.snippet.source import Source
from compiler_core.snippet.tensorflow.imported import imports_tensorflow
from compiler_core.snippet.uncompiled import guessed

_COMMANDS = (
    "commands of a notebook (`%...`, `!...`) are left out; what they time is run without them"
)


@dataclass(frozen=True)
class Found:
    """The programs; `error` is the exception that ended the snippet after they were found."""

    programs: tuple[FoundProgram, ...]
    error: Failure | None = None


def find_programs(source: str, options: Options, device: str, emit: Emit) -> Found:
    """Runs the snippet on `device` ("cpu" or "cuda") and returns its programs. Raises SnippetError
    if there is nothing to compile."""
    if is_module(source):
        from compiler_core.snippet.stablehlo.programs import programs_of

        return Found(programs_of(source, options, emit))
    parsed, unused = without_unused(Source.parse(source))
    if imports_tensorflow(parsed):
        from compiler_core.snippet.tensorflow.programs import programs_of as by_tensorflow

        parsed.compile()
        return Found(by_tensorflow(parsed, emit))
    module, meshes = new_module(), Meshes(parsed)
    parsed, missing = with_missing(parsed, module)
    if parsed.commands:
        notice(emit, _COMMANDS, parsed.commands[0])
    for name in unused:
        notice(emit, f"{name} is not installed here, and not used: its import is left out")
    virtual_devices.make(meshes, options, emit)
    with (
        stream(emit),
        _importable(parsed, device, emit),
        eager_jax.compiled_quickly(parsed),
        ambient_mesh.contained(),
    ):
        with Interceptor(parsed, module, emit) as interceptor:
            error = execute(parsed, module)
            error = virtual_devices.too_few(error, meshes) if error else None
        programs = interceptor.programs()
        asked = Asked(parsed, module, options, device, emit)
        if programs:
            programs = asked.instead_of(programs)
        elif error is None:
            programs = _uncompiled(asked, interceptor)
        programs = programs or interceptor.seen(device)
        if not programs and error is not None and is_for_want(error):
            programs = _defined(asked)
        left = ambient_mesh.ambient_now()
    if not programs:
        assert error is not None
        raise error
    for name in missing if error is None else ():
        notice(emit, f"{name} is not here: what asks anything of it would fail", missing[name])
    named = tuple(replace(p, module=module, mesh=p.mesh or left) for p in programs)
    return Found(named, error.failure() if error else None)


@contextmanager
def _importable(source: Source, device: str, emit: Emit) -> Iterator[None]:
    """Context in which the snippet runs on `device`, with what it can do without."""
    with _on_device(source, device, emit), readable(source, emit), stand_ins(source, emit):
        yield


def _on_device(source: Source, device: str, emit: Emit) -> AbstractContextManager[None]:
    """Only a snippet that speaks of torch can make torch tensors: its import takes seconds."""
    if "torch" not in source.text:
        return nullcontext()
    from compiler_core.snippet.devices import on_device

    return on_device(device, emit)


def _defined(asked: Asked) -> list[FoundProgram]:
    """What a snippet defined and did not come to call, with inputs given or guessed; none where
    that does not run either."""
    try:
        return asked.with_given() or guessed(asked.source, asked.module, asked.device, asked.emit)
    except SnippetError:
        return []


def _uncompiled(asked: Asked, interceptor: Interceptor) -> list[FoundProgram]:
    try:
        found = convention.program(asked.source, asked.module)
        if found is not None:
            return asked.instead_of([found])
        return (
            asked.of_seen(interceptor)
            or asked.with_given()
            or interceptor.seen(asked.device)
            or guessed(asked.source, asked.module, asked.device, asked.emit)
        )
    except SnippetError:
        raise
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise snippet_error(error) from error
