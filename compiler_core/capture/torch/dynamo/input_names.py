"""What the snippet calls the inputs of a graph, by the names that TorchDynamo and AOTAutograd have
for them."""

import re

_DROPPED = ("_modules", "_parameters", "_buffers")


def readable(source: str) -> str:
    """`L['self']._modules['fc']._parameters['weight']` is `fc.weight`, `L['x']` is `x`."""
    parts = [p for p in source.replace("[", ".[").split(".") if p and p not in _DROPPED]
    words = [p.strip("[]'\"") for p in parts if p not in ("L", "G")]
    # Globals of functions that others call are those of a module, by a name of Dynamo's own.
    words = [word for word in words if not word.startswith("__import_")]
    return ".".join(words[1:] if len(words) > 1 and words[0] == "self" else words).lstrip("_")


def attribute(target: str) -> str:
    """`self___param_groups_0__params___1` is `param_groups.0.params.1`."""
    words = re.sub(r"_*list_dict_keys_L__self|_+(\d+)_*", r".\1.", target.removeprefix("self___"))
    return re.sub(r"[._]*\.[._]*", ".", words).strip("._")
