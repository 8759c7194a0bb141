"""A size among a class's constructor arguments that is the last size of an input of the same name:
`state_dim` is that of `state`, or of `s`."""

import re
from collections.abc import Mapping

# The names that one letter stands for.
_LETTERS = {
    "s": ("state", "obs"), "o": ("obs",), "a": ("action", "act"), "z": ("latent", "z"),
    "x": ("input", "in", "x"), "h": ("hidden", "h"), "c": ("context", "cond", "c"),
}  # fmt: skip


def sized(name: str, given: Mapping[str, int]) -> str | None:
    """The constructor parameter, among those `given`, that has the last size of the input `name`;
    None if there is none."""
    plain = name.lower().rstrip("s") or name.lower()
    meant = (plain, *_LETTERS.get(name.lower(), ()))
    return next((p for p in given if _base(p) in meant and _base(p) != p.lower()), None)


def _base(parameter: str) -> str:
    """What it is the size of: `state` of `state_dim`, `obs` of `n_obs`."""
    lower = parameter.lower()
    begun = re.sub(r"^(n|num)_", "", lower)
    return re.sub(r"_?(dims?|size|features|feats)$", "", begun).rstrip("s")
