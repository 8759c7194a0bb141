"""Private functions of jaxlib, in one place: written for jaxlib 0.9.2 to 0.11, and covered by a
test. Where a version lacks one, what it would show is left out."""

from typing import Any

import jax


def cost_of(text: str) -> dict[str, float]:
    """XLA's own cost analysis of a module's text: "flops", "transcendentals", "bytes accessed".
    Empty if it is not available."""
    try:
        from jax._src.lib import _jax

        module = _parser()(text)
        return dict(_jax.hlo_module_cost_analysis(jax.devices()[0].client, module))
    except Exception:  # XLA refuses a text by an error of its own kind
        return {}


def _parser() -> Any:
    try:
        from jaxlib._hlo import hlo_module_from_text
    except ImportError:  # jaxlib 0.9
        from jaxlib import xla_client

        hlo_module_from_text = xla_client._xla.hlo_module_from_text
    return hlo_module_from_text


def serialized(compiled: Any) -> bytes:
    """The serialised executable: a protocol buffer of XLA's, after a header with its length where
    the version writes one. Empty if it is not available."""
    try:
        return bytes(compiled.runtime_executable().serialize())
    except Exception:  # not every backend can
        return b""


def profiler() -> Any:
    """A recording that has begun; its `stop` returns the recorded data as a serialised XSpace.
    Python's own functions are not recorded."""
    from jaxlib._profiler import ProfilerSession

    options = jax.profiler.ProfileOptions()
    options.python_tracer_level, options.host_tracer_level = 0, 2
    return ProfilerSession(options)


def costs(compiled: Any) -> dict[str, float]:
    """XLA's cost analysis of a compiled program. Empty where it cannot be had."""
    try:
        found = compiled.cost_analysis()
        return dict(found[0] if isinstance(found, list) else found or {})
    except Exception:  # not every backend can
        return {}


def memory(compiled: Any) -> Any:
    """XLA's memory analysis of a compiled program: sizes in bytes. None where it cannot be had."""
    try:
        return compiled.memory_analysis()
    except Exception:  # not every backend can
        return None
