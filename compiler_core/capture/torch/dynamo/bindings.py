"""The attributes of modules. A program may assign another tensor to one, `self.mean = new`; that is
undone between its runs."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch

# Stands for a missing attribute.
_NONE = object()


class Bindings:
    """The attributes of modules at construction. As a context it restores them at the end;
    `restored` then says whether any had changed."""

    def __init__(self, modules: Iterable[torch.nn.Module]) -> None:
        names = (d for m in modules for d in (vars(m), m._parameters, m._buffers))
        self._before = [(each, dict(each)) for each in names]
        self.restored = False

    def __enter__(self) -> "Bindings":
        return self

    def __exit__(self, *_: object) -> None:
        self.restored = self.restore()

    def given(self) -> list[torch.Tensor]:
        """The tensors that have been assigned to attributes since."""
        now = (names.get(name) for names, name, _ in self._others())
        return [x for x in now if isinstance(x, torch.Tensor)]

    def restore(self) -> bool:
        """Restores the attributes; returns whether any had changed."""
        others = list(self._others())
        for names, name, before in others:
            if before is _NONE:
                del names[name]
            else:
                names[name] = before
        return bool(others)

    def _others(self) -> Iterator[tuple[dict[str, Any], str, Any]]:
        """Names that stand for another tensor than before, or for one only before or since; with
        what they stood for."""
        for names, before in self._before:
            for name in dict.fromkeys((*before, *names)):
                old, new = before.get(name, _NONE), names.get(name, _NONE)
                if old is not new and any(isinstance(x, torch.Tensor) for x in (old, new)):
                    yield names, name, old
