"""The memory that one device needs for a call, as XLA computes it."""

from typing import Any

from compiler_core import report

# The fields of XLA's CompiledMemoryStats, in bytes.
_KINDS = (
    ("arguments", "argument_size_in_bytes"),
    ("results", "output_size_in_bytes"),
    ("results in the memory of arguments", "alias_size_in_bytes"),
    ("temporaries", "temp_size_in_bytes"),
)
_ABOUT = "The bytes that one device needs for a call, as XLA computes them."


def table(compiled: Any) -> report.Table | None:
    """The table for a jax.stages.Compiled, in bytes; None if XLA does not report them."""
    try:
        stats = compiled.memory_analysis()
    except Exception:  # not every backend can
        return None
    rows = [report.Row([kind, int(getattr(stats, name, 0))]) for kind, name in _KINDS]
    columns = [report.Column("memory"), report.Column("per device", "bytes")]
    return report.Table("memory", columns, rows, _ABOUT) if stats is not None else None
