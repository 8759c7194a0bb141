"""A process that judges samples: units on its input, one line of JSON a sample on its output.

`python -m conformance.child` reads lines {part, entry, variant, share, start} and writes, for each,
{"begins": number, "name"}, {"number", "kind", "reason", "seconds"} a sample, and {"ends": true}.
"""

import gc
import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from compiler_core.errors import sentence_of
from conformance.judge import judge
from conformance.judge_breaks import judge as judge_breaks
from conformance.judge_formulas import judge as judge_formula
from conformance.judge_graphs import judge as judge_graph
from conformance.judge_pasted import judge as judge_pasted
from conformance.made_small import BAD, smallest
from conformance.parts import AnySample, samples
from conformance.sample import (
    BreakSample,
    FormulaSample,
    GraphSample,
    PastedSample,
    Sample,
    Unit,
)
from conformance.verdict import Verdict

_JUDGES: dict[type[AnySample], Callable[[Any], Verdict]] = {
    Sample: judge,
    GraphSample: judge_graph,
    FormulaSample: judge_formula,
    BreakSample: judge_breaks,
    PastedSample: judge_pasted,
}


def main() -> None:
    """Until the input ends. What samples print goes to the error stream."""
    # The frameworks stay: the collector need not visit their million objects again and again.
    gc.freeze()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def reply(**line: Any) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    for line in sys.stdin:
        asked = json.loads(line)
        start = asked.pop("start")
        unit = Unit(**asked)
        try:
            for number, sample in samples(unit):
                if number >= start:
                    reply(begins=number, name=sample.name)
                    began, verdict = time.perf_counter(), _judged(sample)
                    seconds = round(time.perf_counter() - began, 3)
                    if isinstance(sample, GraphSample) and verdict.kind in BAD:
                        verdict = _with_smallest(verdict, unit, number)
                    reply(number=number, kind=verdict.kind, reason=verdict.reason, seconds=seconds)
            reply(ends=True)
        except Exception as error:
            traceback.print_exc()
            reply(ends=True, reason=f"the database gives no samples: {sentence_of(error)}")


def _judged(sample: AnySample) -> Verdict:
    try:
        return _JUDGES[type(sample)](sample)
    except Exception as error:
        traceback.print_exc()
        return Verdict("fault", f"the comparison fails: {sentence_of(error)}")


def _with_smallest(verdict: Verdict, unit: Unit, number: int) -> Verdict:
    small = " ".join(smallest(unit, number, _judged).split())
    return replace(verdict, reason=f"{verdict.reason}; made small: {small}")


if __name__ == "__main__":
    main()
