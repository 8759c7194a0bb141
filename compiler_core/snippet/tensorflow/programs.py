"""The programs of a snippet that imports TensorFlow."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from compiler_core.errors import NoProgramFound, SnippetError, ToolchainError
from compiler_core.extras import environment
from compiler_core.extras.inside import serve
from compiler_core.extras.session import COMPILE_S, Session
from compiler_core.snippet.front import Front
from compiler_core.snippet.output import Emit, stream
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import Source
from compiler_core.snippet.stablehlo.call import callable_of
from compiler_core.snippet.stablehlo.module import Module
from compiler_core.snippet.stablehlo.programs import allow_wide, type_of
from compiler_core.snippet.stablehlo.read import read
from compiler_core.snippet.tensorflow.places import placed

_TITLE, _EXTRA, _FILE = "TensorFlow", "tensorflow", "for_tensorflow.py"
_CALL_ONE = "decorate a function with @tf.function(jit_compile=True) and call it"
_STAGES = ("stablehlo", "hlo", "optimized_hlo")


def programs_of(source: Source, emit: Emit) -> tuple[FoundProgram, ...]:
    """The snippet's compiled functions that it calls. Raises SnippetError if TensorFlow is not
    installed or the snippet raises, NoProgramFound if it calls none."""
    python = environment.python_of(_EXTRA)
    if python is None:
        remedy = "install it, or write the function in PyTorch or JAX"
        raise SnippetError(environment.absent(_EXTRA, _TITLE), remedy=remedy)
    session = Session(_TITLE, python, _FILE)
    try:
        return _programs(session, source, emit)
    except ToolchainError as error:
        raise SnippetError(f"{_TITLE} failed: {error.sentence}", remedy=_CALL_ONE) from error
    finally:
        session.close()


def _programs(session: Session, source: Source, emit: Emit) -> tuple[FoundProgram, ...]:
    file = session.new_file("snippet.py")
    file.write_text(source.text)
    dump = str(session.new_file("dump"))
    reply = session.ask("compile", seconds=COMPILE_S, text=str(file), dump=dump)
    with stream(emit):
        print(reply["printed"], end="")  # noqa: T201  # what the snippet has printed
    if raised := reply["raised"]:
        raise SnippetError(
            raised["message"], line=raised["line"], remedy="correct the snippet: TensorFlow says so"
        )
    if not reply["programs"]:
        raise NoProgramFound("the snippet calls no function compiled by XLA", remedy=_CALL_ONE)
    return tuple(_program(each, reply["version"]) for each in reply["programs"])


def _program(call: dict[str, Any], version: str) -> FoundProgram:
    texts = {name: Path(f"{call['base']}.{name}.txt").read_text() for name in _STAGES}
    stablehlo = texts["stablehlo"]
    allow_wide(stablehlo)
    module = placed(read(stablehlo), stablehlo, call["lines"], call["line"])
    outputs = tuple(serve.read(f"{call['base']}.outputs.npz"))
    front = Front("tensorflow", version, texts, outputs, call["lines"])
    name, line = call["name"], call["line"]
    found = _found(module, name, line, serve.read(f"{call['base']}.inputs.npz"))
    return replace(found, front=front, ran=True)


def _found(module: Module, name: str, line: int, inputs: list[Any]) -> FoundProgram:
    """The module's public function on its inputs. Raises SnippetError where these do not fit."""
    import jax

    (function,) = module.public()
    values = tuple(jax.numpy.asarray(x) for x in inputs)
    if [type_of(x) for x in values] != [*function.body.types]:
        raise SnippetError(
            f"{name} has inputs that XLA is not given as they are",
            line=line,
            remedy="make what decides sizes or axes a number of Python, no tensor",
        )
    return FoundProgram(name, "jax", line, callable_of(module, function), values)
