"""Whether a program that the framework does not run is refused with the framework's own error."""

from compiler_core.errors import REPORT_IT, sentence_of
from compiler_core.report import Failure
from conformance import framework
from conformance.built import failures
from conformance.sample import Sample
from conformance.verdict import Verdict


def judge_error(sample: Sample) -> Verdict:
    """Of a sample whose arguments are an error."""
    try:
        framework.run(sample)
    except Exception as error:
        expected = error
    else:
        return Verdict("invalid", "the framework raises nothing")
    return _compared(expected, failures(sample))


def _compared(expected: Exception, found: list[Failure]) -> Verdict:
    """The first failure is what a report says of the program."""
    kind = type(expected).__name__
    if not found:
        return Verdict("wrong", f"no error, where the framework raises {sentence_of(expected)}")
    failure = found[0]
    if failure.remedy == REPORT_IT:
        return Verdict("fault", f"{failure.message} [{failure.stage}]")
    if f"the program raises {kind}" not in failure.message:
        return Verdict("wrong", f"{failure.message} [for {sentence_of(expected)}]")
    return Verdict("refused", f"the program raises {kind}")
