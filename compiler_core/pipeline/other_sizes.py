"""Checks a compiled program against float64 at other sizes than those of the captured call."""

from collections.abc import Mapping
from typing import Any

from compiler_core import report
from compiler_core.measure import numerics, run
from compiler_core.measure.runnable import Runnable
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.sizes import other_calls


def check_other_sizes(
    c: Compilation, own: dict[str, Runnable], checked: dict[str, report.Numerics]
) -> str:
    """Checks the compiled program against float64 at other sizes too, if sizes vary; the larger of
    its errors are put into `checked`. Returns a clause that names the sizes."""
    assert c.captured is not None
    texts, raised = [], ""
    for sizes, arguments in other_calls(c.captured):
        at = ", ".join(f"{symbol} = {size}" for symbol, size in sizes.items())
        try:
            found = run.check(own, c.captured, arguments)
        except Exception as error:
            raised += f"; at {at} the program itself raises {_of_eager(own, arguments, error)}"
            continue
        for name in own:
            checked[name] = numerics.worse(checked[name], found[name])
        texts.append(at)
    return (f", also at {' and at '.join(texts)}" if texts else "") + raised


def _of_eager(own: Mapping[str, Runnable], arguments: Any, error: Exception) -> str:
    """What the framework raises by itself for these arguments. Raises `error` where it does
    not."""
    try:
        own["eager"].run(arguments)
    except Exception as alone:
        return type(alone).__name__
    raise error
