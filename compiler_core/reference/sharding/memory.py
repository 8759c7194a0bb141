"""The memory that one device needs for a call, by XLA's own count."""

from typing import Any

from compiler_core import report

# What each is called in XLA's CompiledMemoryStats.
_KINDS = (
    ("arguments", "argument_size_in_bytes"),
    ("results", "output_size_in_bytes"),
    ("results in the memory of arguments", "alias_size_in_bytes"),
    ("temporaries", "temp_size_in_bytes"),
)
_ABOUT = "Bytes that one device has for a call, by XLA's count."


def table(compiled: Any) -> report.Table | None:
    """Of a jax.stages.Compiled; None where XLA does not say."""
    try:
        stats = compiled.memory_analysis()
    except Exception:  # not every backend can
        return None
    rows = [report.Row([kind, int(getattr(stats, name, 0))]) for kind, name in _KINDS]
    columns = [report.Column("memory"), report.Column("per device", "bytes")]
    return report.Table("memory", columns, rows, _ABOUT) if stats is not None else None
