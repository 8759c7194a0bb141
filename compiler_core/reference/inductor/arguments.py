"""Arguments of torch.compile: those that the snippet itself passed, for the look into
TorchInductor, and those of a mode in which the program is timed."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

# The arguments of torch.compile that are Dynamo's, not the back end's.
_DYNAMOS = ("fullgraph", "dynamic")
# Settings by which candidates are timed on the device.
_TIMED = (
    "max_autotune",
    "max_autotune_gemm",
    "max_autotune_pointwise",
    "coordinate_descent_tuning",
)


@dataclass(frozen=True)
class CompileArguments:
    """The arguments of torch.compile other than the function."""

    options: Mapping[str, Any]

    @property
    def dynamos(self) -> dict[str, Any]:
        """The arguments that are TorchDynamo's."""
        return {name: self.options[name] for name in _DYNAMOS if name in self.options}

    @property
    def inductors(self) -> dict[str, Any]:
        """Inductor's settings that the mode and the options result in. Raises what torch raises for
        an unknown mode."""
        if self.options.get("backend", "inductor") != "inductor":
            return {}
        from torch._inductor import config, list_mode_options

        mode, own = self.options.get("mode"), dict(self.options.get("options") or {})
        found = {**(list_mode_options(mode) if mode else {}), **own}
        known = config.get_config_copy()
        named = {name.replace("-", "_"): value for name, value in found.items()}
        return {name: value for name, value in named.items() if name in known}

    def settings(self, *, timing: bool = True) -> AbstractContextManager[Any]:
        """Context with these settings; without `timing`, those that time candidates on the device
        are left out."""
        from torch._inductor import config

        left = {name: False for name in _TIMED if not timing and name in self.inductors}
        context: AbstractContextManager[Any] = config.patch({**self.inductors, **left})
        return context

    @property
    def autotunes_products(self) -> bool:
        """Whether templates of products are timed beside the library's calls."""
        return any(self.inductors.get(name) for name in _TIMED[:2])

    @property
    def untimed(self) -> str:
        """What is left out where there is no device to time candidates on; "" if the snippet asks
        for no timing."""
        asked = any(self.inductors.get(name) for name in _TIMED)
        return "; max-autotune times its choices on the GPU alone" if asked else ""


# What is called a mode here, but is another argument of torch.compile.
_NO_MODE: dict[str, Mapping[str, Any]] = {"": {}, "dynamic": {"dynamic": True}}


def of_mode(mode: str) -> CompileArguments:
    """The arguments of torch.compile in a mode, "" for its default."""
    return CompileArguments(_NO_MODE.get(mode, {"mode": mode}))
