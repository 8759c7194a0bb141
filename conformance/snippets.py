"""Snippets as people paste them, from tutorials, papers' repositories and questions: each program
that is found in one, with its arguments, is a sample."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from compiler_core.report import Options
from compiler_core.snippet.circumstances import set_back
from compiler_core.snippet.execute import as_main
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.run import find_programs
from compiler_core.snippet.tensors import SEED, seed
from conformance.sample import Sample

FOLDER = Path(__file__).parent / "pasted"
VARIANTS = ("torch", "jax")
# What cannot end well: a library that is not installed, NumPy alone, no inputs to be found.
REFUSED = ("jax_missing_library", "numpy_only", "torch_no_inputs_found")


def names() -> list[str]:
    """Of all snippets."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def text(name: str) -> str:
    """The snippet of a name."""
    return (FOLDER / f"{name}.py").read_text()


def entries(variant: str) -> list[str]:
    """The snippets that begin with the framework's name; both frameworks' are torch's."""
    return [name for name in names() if name.startswith(variant) and name not in REFUSED]


def samples(entry: str, variant: str) -> Iterator[Sample]:
    """One for each program, of a snippet that is `__main__` until the next is asked for. Raises
    SnippetError for a snippet in which none is found."""
    seed("torch")
    np.random.seed(SEED)  # snippets draw from it
    found = find_programs(text(entry), Options(), "cpu", lambda event: None)
    for program in found.programs:
        fn, args = _traced(program)
        with as_main(program.module), set_back(program.before):
            yield Sample(f"{entry}: {program.name}", program.framework, fn, args, program.kwargs)


def _traced(program: FoundProgram) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of the arguments that jax.jit would trace, and these."""
    static = {i: x for i, x in enumerate(program.args) if i in program.static_argnums}
    if not static:
        return program.fn, program.args

    @functools.wraps(program.fn)
    def of_others(*args: Any, **kwargs: Any) -> Any:
        others = iter(args)
        return program.fn(
            *(static[i] if i in static else next(others) for i in range(len(program.args))),
            **kwargs,
        )

    return of_others, tuple(x for i, x in enumerate(program.args) if i not in static)
