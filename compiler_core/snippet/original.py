"""What the wrappers are around that a snippet's functions are put into: to be recorded, cast, moved
to a device, followed by their backward pass."""

from typing import Any


def original(value: Any) -> Any:
    """The snippet's own object inside all of its wrappers; `value` itself where it has none."""
    while (inner := getattr(value, "fuselab_original", value)) is not value:
        value = inner
    return value
