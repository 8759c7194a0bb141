"""A program found in a snippet: something to call, and what to call it with."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from compiler_core.report import Framework
from compiler_core.snippet import specs
from compiler_core.snippet.ambient_mesh import Ambient
from compiler_core.snippet.calls import Call
from compiler_core.snippet.circumstances import Flags, set_back
from compiler_core.snippet.front import Front
from compiler_core.snippet.settings import Settings, set_as


@dataclass(frozen=True)
class Again:
    """A further call of a program: its arguments, the snippet's line that makes it, and how many
    calls came before it."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    line: int | None
    number: int = 0


@dataclass(frozen=True)
class CompiledAgain:
    """A call that needed a compilation of its own: its line, and how its arguments differ from
    those of the compilation before, as text. `symbols`: sizes that vary have one from there on."""

    line: int | None
    change: str
    symbols: bool


@dataclass(frozen=True)
class FoundProgram:
    """`fn` is the plain function or nn.Module, not the compiled wrapper; `args` and `kwargs` are
    the arguments of its first call: tensors or arrays on the device where it will run."""

    name: str
    framework: Framework
    line: int | None
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    # jax.jit's static arguments, by position and by name.
    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    # The arguments that it donates, by position or by name.
    donated: tuple[int | str, ...] = ()
    # Later calls of a jitted function that differ from all calls before them.
    later: tuple[Again, ...] = ()
    # The first few calls of a jitted function, equal ones too.
    first_calls: tuple[Again, ...] = ()

    # The gradients that the snippet's backward pass gave to the results of a torch program, by
    # position among the leaves: the program is then its forward and its backward pass.
    gradients: Mapping[int, Any] = field(default_factory=dict)
    # The lines of the snippet that call it first and that run this backward pass.
    called: int | None = None
    backward: int | None = None
    # The snippet that it is of, which is `__main__` while the program runs.
    module: ModuleType | None = None
    # For each tensor among the leaves of its arguments, the names of the dimensions that vary from
    # call to call, "" for the others; () if none do.
    sizes: tuple[tuple[str, ...], ...] = ()
    # The least and the greatest of these sizes, by name, if the program declares them.
    ranges: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    # What the snippet gives torch.export as `dynamic_shapes`.
    shapes: Any = None
    # Whether the snippet has called it already, so that its prints have been shown.
    ran: bool = False
    # The modes, numbers and strings of its modules when it was called, as far as they have changed
    # since.
    before: Flags = ()
    # torch's settings when it was called; none where they are not known.
    settings: Settings = ()
    # The marks of mark_dynamic and its kin that its tensors had then.
    marks: Flags = ()
    # Its name with its arguments, as the Inputs panel writes them, where these were guessed.
    assumed: str = ""
    # Its name with its arguments if these were guessed or given; blank for a call that the snippet
    # makes.
    written: str = ""
    # torch.compile's arguments beside the function, as the snippet gave them.
    options: Mapping[str, Any] = field(default_factory=dict)
    # The different calls that the snippet makes of the compiled function, the first one first; none
    # if the program was found in another way.
    calls: tuple[Call, ...] = ()
    # The lines of further different calls, a line for each.
    calls_left_out: tuple[int | None, ...] = ()
    # The later calls that needed a compilation of their own.
    recompiled: tuple[CompiledAgain, ...] = ()
    # For a JAX program: the mesh that was in force when it was called, and the function that
    # jax.jit or jax.pmap returned with the snippet's own options, which `lower` respects.
    mesh: Ambient | None = None
    own: Any = None
    # The other framework that it came from, with what that provides for it.
    front: Front | None = None

    @contextmanager
    def as_called(self) -> Iterator[None]:
        """Context in which its modules and torch's settings are as they were when it was called."""
        with set_back(self.before), set_as(self.settings):
            yield


def tensors(framework: Framework, args: Any, kwargs: Any) -> list[Any]:
    """The tensors or arrays among the leaves of a call's arguments, as their framework orders
    them."""
    given = (tuple(args), dict(kwargs))
    if framework == "jax":
        return [x for x in sys.modules["jax"].tree.leaves(given) if hasattr(x, "shape")]
    from compiler_core.interop.private import pytree

    torch = sys.modules["torch"]
    return [x for x in pytree.tree_leaves(given) if isinstance(x, torch.Tensor)]


def input_specs(program: FoundProgram) -> list[str]:
    """The tensors of the call as specs: ["f32[B=4096,1024]", "f32[1024]"]."""
    if program.sizes:
        found = tensors(program.framework, program.args, program.kwargs)
        return [specs.named(x, names) for x, names in zip(found, program.sizes, strict=True)]
    return specs.tensor_specs((program.args, dict(program.kwargs)))
