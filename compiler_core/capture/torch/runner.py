"""A captured torch program, run by torch itself over flat inputs: as it is, in float64, or with
another function in its place."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from compiler_core.capture.fresh import Draw, resample
from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.dynamo.copied import copies, redrawn
from compiler_core.capture.torch.float64 import InFloat64, by_default, in_float64
from compiler_core.errors import NoReference
from compiler_core.interop.complex_pairs import pack, paired, unpack
from compiler_core.interop.structures import leaves_of


class Runner:
    """Runs the program over flat inputs by torch itself. `written` are the positions of the inputs
    that it writes to: it gets copies of them. `takes_functions`: it calls torch.cond or the like.
    `passed_too` are the positions of arguments that it also closes over: it is given one tensor for
    both."""

    def __init__(
        self,
        fn: Callable[..., Any],
        arguments: Arguments,
        lifted: tuple[torch.Tensor, ...],
        written: frozenset[int],
        takes_functions: bool = False,
        passed_too: Sequence[int] = (),
    ) -> None:
        self.fn, self.arguments, self.lifted = fn, arguments, lifted
        self.written, self.passed_too = written, passed_too
        self._float64 = by_default if takes_functions else InFloat64
        self.count = len(arguments.places)

    def call(self, flat: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) of the program for flat inputs."""
        return self.arguments.call(self._own(flat))

    def _own(self, flat: Sequence[Any]) -> list[Any]:
        """The arguments among `flat`, as the program may have them."""
        return [
            self._one(i, tensor, original)
            for i, (tensor, original) in enumerate(zip(flat, self.arguments.tensors, strict=False))
        ]

    def _one(self, index: int, tensor: Any, original: torch.Tensor) -> Any:
        tensor = unpack(tensor, original.dtype)
        return copies([tensor])[0] if index in self.written else tensor

    def eager(self, flat: Sequence[Any]) -> list[Any]:
        """The flat outputs of the program."""
        return self.by(self.fn, flat)

    def by(self, function: Callable[..., Any], flat: Sequence[Any]) -> list[Any]:
        """The flat outputs of the program with `function` in its place."""
        return self._run(self._own(flat), flat[self.count :], function=function)

    def exact(self, flat: Sequence[Any]) -> list[Any]:
        """The flat outputs of the program in float64. Raises NoReference."""
        try:
            return [x.clone() for x in self.under(flat, True, self._float64())]
        except Exception as error:
            raise NoReference(error) from error

    def under(
        self, flat: Sequence[Any], exact: bool, mode: contextlib.AbstractContextManager[Any]
    ) -> list[Any]:
        """The flat outputs of the program, run inside `mode` on copies; of float64 if `exact`."""
        given = zip(flat, self.arguments.tensors, strict=False)
        upcast = torch.float64 if exact else None
        own = copies([unpack(x, original.dtype) for x, original in given], upcast)
        lifted = flat[self.count :]
        return self._run(own, [in_float64(x) for x in lifted] if exact else lifted, mode)

    def _run(
        self,
        own: list[Any],
        lifted: Sequence[Any],
        mode: contextlib.AbstractContextManager[Any] = contextlib.nullcontext(),  # noqa: B008
        function: Callable[..., Any] | None = None,
    ) -> list[Any]:
        """Closed-over tensors are replaced only where they are not the program's own."""
        swaps = [*self._swaps(lifted), *self._passed(own)]
        args, kwargs = self.arguments.call(own)
        # Asked whether it is true, a module that torch.compile made raises: it has no length.
        run = self.fn if function is None else function
        for tensor, _, other in swaps:
            tensor.data = other
        try:
            with torch.no_grad(), mode:
                result = run(*args, **kwargs)
        finally:
            for tensor, data, _ in swaps:
                tensor.data = data
        outputs = [t for t in leaves_of(result) if isinstance(t, torch.Tensor)]
        swapped = {id(tensor): other for tensor, _, other in swaps}
        inputs = (*own, *(swapped.get(id(t), t) for t in self.lifted))
        outputs += [inputs[i] for i in sorted(self.written)]
        return [paired(t.detach()) for t in outputs]

    def _swaps(self, given: Sequence[Any]) -> list[tuple[torch.Tensor, torch.Tensor, Any]]:
        """(closed-over tensor, its data, other data)."""
        swaps = []
        for index, (tensor, other) in enumerate(zip(self.lifted, given, strict=True)):
            if self.count + index in self.written:
                swaps.append((tensor, tensor.data, other.detach().clone()))
            elif other is not tensor:
                swaps.append((tensor, tensor.data, unpack(other, tensor.dtype)))
        return swaps

    def _passed(self, own: Sequence[Any]) -> list[tuple[torch.Tensor, torch.Tensor, Any]]:
        """The same of tensors that are arguments as well."""
        both = [(self.arguments.tensors[i], own[i]) for i in self.passed_too]
        return [(tensor, tensor.data, other) for tensor, other in both if other is not tensor]

    def fresh(self, seed: int, draw: Draw = resample) -> tuple[Any, ...]:
        """Flat inputs with new values for the arguments (capture/fresh.py)."""
        return tuple(map(pack, (*redrawn(self.arguments.tensors, seed, draw), *self.lifted)))
