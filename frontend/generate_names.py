"""Writes src/text/names.json: what the editor completes of the frameworks, from the installed ones.

By module, and for tensors by class, each public name with its parameters, as its signature or the
first line of its docstring has them: "(input, dim=None)". Blank of what is not called.
"""

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

NAMES = Path(__file__).parent / "src" / "text" / "names.json"
MODULES = (
    "torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.special",
    "torch.linalg", "torch.fft", "torch.autograd", "torch.func", "torch.export",
    "jax", "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.nn",
    "jax.nn.initializers", "jax.random", "jax.scipy.special", "jax.tree", "jax.tree_util",
    "jax.sharding",
)  # fmt: skip
CLASSES = {"torch.Tensor": "torch", "jax.Array": "jax"}
_LONGEST = 90
# Addresses, and a default's whole text, say nothing to somebody who writes.
_OBJECT = re.compile(r"<[^<>]*>")


def names() -> dict[str, dict[str, str]]:
    """By module or class: name to parameters."""
    return {
        **{module: _of(import_module(module)) for module in MODULES},
        **{
            name: _of(getattr(import_module(at), name.split(".")[1]))
            for name, at in CLASSES.items()
        },
    }


def _of(owner: Any) -> dict[str, str]:
    listed = getattr(owner, "__all__", None) if inspect.ismodule(owner) else None
    public = {name for name in listed or dir(owner) if not name.startswith("_")}
    return {n: _parameters(n, getattr(owner, n)) for n in sorted(public) if _is_shown(owner, n)}


def _is_shown(owner: Any, name: str) -> bool:
    """Not a module: which of them are there depends on what was imported. Those of MODULES are
    known by their own names."""
    value = getattr(owner, name, None)
    is_of_python = inspect.ismodule(value) or type(value).__module__ == "__future__"
    return value is not None and not is_of_python


def _parameters(name: str, value: Any) -> str:
    if not callable(value):
        return ""
    found = _signature(value) or _documented(name, value) or "()"
    text = re.sub(r"\s*=\s*", "=", _OBJECT.sub("...", found))
    text = text.replace("(self, ", "(").replace("(self)", "()").replace("(self=", "(")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 6].rpartition(', ')[0]}, ...)"


def _signature(value: Any) -> str:
    """Without annotations; blank where there is none, or one that says nothing."""
    try:
        found = inspect.signature(value)
    except (ValueError, TypeError):
        return ""
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    text = str(inspect.Signature(bare))
    return "" if text in ("(*args, **kwargs)", "(*args)") else text


def _documented(name: str, value: Any) -> str:
    """Written in C, torch's functions say their parameters in their docstrings alone."""
    line = re.search(rf"^\s*(?:\w+\.)*{name}(\(.*\))", inspect.getdoc(value) or "", re.MULTILINE)
    return line[1].partition(" -> ")[0] if line else ""


def written() -> str:
    """The file's text."""
    return json.dumps(names(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NAMES.write_text(written(), encoding="utf-8")
