"""What the snippet itself asked of torch.compile, for the look."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

# What torch.compile decides before its back end is asked.
_DYNAMOS = ("fullgraph", "dynamic")
# What needs the device to be timed on.
_TIMED = (
    "max_autotune",
    "max_autotune_gemm",
    "max_autotune_pointwise",
    "coordinate_descent_tuning",
)


@dataclass(frozen=True)
class Asked:
    """The arguments of torch.compile beside the function."""

    options: Mapping[str, Any]

    @property
    def dynamos(self) -> dict[str, Any]:
        """What TorchDynamo takes of them."""
        return {name: self.options[name] for name in _DYNAMOS if name in self.options}

    @property
    def inductors(self) -> dict[str, Any]:
        """Inductor's settings that the mode and the options stand for. Raises what torch raises of
        a mode that it does not have."""
        if self.options.get("backend", "inductor") != "inductor":
            return {}
        from torch._inductor import config, list_mode_options

        mode, own = self.options.get("mode"), dict(self.options.get("options") or {})
        found = {**(list_mode_options(mode) if mode else {}), **own}
        known = config.get_config_copy()
        named = {name.replace("-", "_"): value for name, value in found.items()}
        return {name: value for name, value in named.items() if name in known}

    def settings(self, *, timing: bool = True) -> AbstractContextManager[Any]:
        """Context with these settings; without `timing`, without what times candidates on the
        device."""
        from torch._inductor import config

        left = {name: False for name in _TIMED if not timing and name in self.inductors}
        context: AbstractContextManager[Any] = config.patch({**self.inductors, **left})
        return context

    @property
    def untimed(self) -> str:
        """What is not done where there is no device to time on; blank where nothing is asked."""
        asked = any(self.inductors.get(name) for name in _TIMED)
        return "; max-autotune times its choices on the GPU alone" if asked else ""
