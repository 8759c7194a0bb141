"""A wrapper that looks like the module inside, as torch.compile's OptimizedModule does."""

from collections.abc import Callable
from typing import Any

import torch


class CompiledModule(torch.nn.Module):
    """Calls go to `record`; every other attribute is the wrapped module's."""

    def __init__(self, module: torch.nn.Module, record: Callable[..., Any]) -> None:
        super().__init__()
        self._orig_mod = module
        self.__dict__["_record"] = record
        self.__dict__["fuselab_original"] = module

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._record(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._orig_mod.forward(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_orig_mod"), name)
