"""torch's settings that Dynamo guards: the name that its texts have for each, its value as a person
would write it, and what to do if it changes between calls."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

_STATE = re.compile(r"(?:___check_global_state\(\) against )?(?P<json>\{.*\})", re.DOTALL)
_BY_DEVICE = re.compile(r"autocast\((?P<device>\w+)\)_(?P<what>enabled|dtype)")
# The device types that are shown, in the order of the texts' lists (ATen/autocast_mode.h).
_DEVICES = ("cpu", "cuda")
# torch's numbers of dtypes (c10/core/ScalarType.h).
_DTYPES = {5: "float16", 6: "float32", 7: "float64", 15: "bfloat16"}


def _switch(value: Any) -> str:
    return str(bool(value))


def _dtype(value: Any) -> str:
    known = _DTYPES.get(value) if isinstance(value, int) else None
    return known or f"number {value}"


# Of ATen's CuBLASReductionOption, 0 allows it.
def _reduction(value: Any) -> str:
    return str(value == 0)


class _Words(NamedTuple):
    """What a setting is, its value as text, and the remedy where it changes."""

    what: str
    value: Callable[[Any], str] = _switch
    remedy: str = "set it once, before the first call"


_ONCE = "call {} once, before the first call"
_UNDER = "make all calls under the same {}, or compile a function for each"
_THREADS = _Words("the number of threads", str, _ONCE.format("torch.set_num_threads"))
_DEFAULT = _Words(
    "the default dtype",
    _dtype,
    _ONCE.format("torch.set_default_dtype") + ", and give tensors of another type their dtype",
)
_DETERMINISTIC = _ONCE.format("torch.use_deterministic_algorithms")
_PRECISION = _ONCE.format("torch.set_float32_matmul_precision")
_AUTOCAST = _UNDER.format("torch.autocast")
_SETTINGS: Mapping[str, _Words] = {
    "grad_mode": _Words(
        "whether gradients are recorded",
        remedy="make all calls under torch.no_grad(), or none; or compile a function for each",
    ),
    "default_dtype": _DEFAULT,
    "num_threads": _THREADS,
    "deterministic_algorithms": _Words(
        "whether deterministic algorithms are asked for", remedy=_DETERMINISTIC
    ),
    "deterministic_algorithms_warn_only": _Words(
        "whether others than deterministic algorithms only warn", remedy=_DETERMINISTIC
    ),
    "allow_tf32": _Words("whether float32 products may be in TF32", remedy=_PRECISION),
    "allow_fp16_reduce": _Words("whether products of float16 may be summed in it", _reduction),
    "allow_bf16_reduce": _Words("whether products of bfloat16 may be summed in it", _reduction),
    "autocast_cache_enabled": _Words(
        "whether autocast keeps weights that it cast", remedy=_AUTOCAST
    ),
    "torch_function": _Words("whether __torch_function__ is asked"),
    "torch_function_all_disabled": _Words("whether __torch_function__ is off for all"),
}


class Setting(NamedTuple):
    """A setting in words, and its value."""

    what: str
    value: str


def settings_of(text: str) -> dict[str, Setting]:
    """The settings in a guard's text, or in what torch says of the current ones, by the names that
    Dynamo has for them; none of a text in another form."""
    found = _STATE.fullmatch(text)
    state = _json(found["json"]) if found else {}
    values = dict(_flat(state))
    return {name: Setting(words(name).what, words(name).value(x)) for name, x in values.items()}


def words(name: str) -> _Words:
    """The words for a setting; for one that is not known here, only its name."""
    if found := _BY_DEVICE.fullmatch(name):
        device, is_dtype = found["device"], found["what"] == "dtype"
        what = f"the dtype of autocast on {device}" if is_dtype else f"autocast on {device}"
        return _Words(what, _dtype if is_dtype else _on, _AUTOCAST)
    return _SETTINGS.get(name, _Words(name, str))


def _on(value: Any) -> str:
    return "on" if value else "off"


def _flat(state: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in [*(n for n in _SETTINGS if n in state), *(n for n in state if n not in _SETTINGS)]:
        if name != "autocast_state":
            yield name, state[name]
    cast = state.get("autocast_state")
    if not isinstance(cast, dict):
        return
    for device, on, dtype in zip(
        _DEVICES, _list(cast, "enabled"), _list(cast, "dtype"), strict=False
    ):
        yield f"autocast({device})_enabled", on
        yield f"autocast({device})_dtype", dtype
    yield "autocast_cache_enabled", cast.get("cached_enabled")


def _list(of: Mapping[str, Any], name: str) -> list[Any]:
    found = of.get(name)
    return found if isinstance(found, list) else []


def _json(text: str) -> dict[str, Any]:
    """The object that a text is; an empty one where it is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
