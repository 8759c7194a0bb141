"""Functions that TorchDynamo has stopped compiling because it compiled them too often."""

import re
from collections.abc import Callable

from compiler_core.capture.torch.dynamo import private
from compiler_core.snippet.source import is_own

# Called with a sentence and the snippet's line that it concerns.
Notify = Callable[[str, int], None]

_FUNCTION = re.compile(r"'(.*)' \((.*):(\d+)\)")
# Dynamo's name of the rest of a function after a graph break.
_REST = re.compile(r"torch_dynamo_resume_in_(\w+)_at_(\d+)")


def notify_limits(notify: Notify) -> None:
    """From now on calls `notify`, once for each, with those functions of the snippet that torch
    stops compiling because it compiled them too often; torch itself logs nothing of them."""
    notified: set[str] = set()

    def met(function: str, times: int) -> bool:
        found = _FUNCTION.fullmatch(function)
        if found is None or not is_own(found[2]):
            return False
        if function not in notified:
            notified.add(function)
            notify(_sentence(found[1], times), int(found[3]))
        return True

    private.on_limit(met)


def _sentence(name: str, times: int) -> str:
    rest = _REST.fullmatch(name)
    what = f"the rest of {rest[1]} from line {rest[2]} on" if rest else name
    return (
        f"TorchDynamo has compiled {what} {times} times, since each call brought other values, and "
        "does so no more: from then on Python runs it uncompiled, also while it is timed"
    )
