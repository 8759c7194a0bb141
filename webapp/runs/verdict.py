"""What a run came to, in a sentence for those who see no more of it than its link, and in a word
for a log."""

from compiler_core import report

LONGEST = 240
_ASKS = "Needs inputs: "
_TITLES: dict[str, str] = {info.id: info.title for info in report.COMPILERS}


def verdict(whole: report.Report) -> str:
    """The verdict on the first program, and how many more there are; the reason of a snippet that
    failed."""
    if whole.error is not None and whole.candidates:
        return _short(f"{_ASKS}{whole.error.message}")
    if whole.error is not None:
        return _short(f"Failed at {whole.error.stage}: {whole.error.message}")
    if not whole.programs:
        return ""
    first, *others = whole.programs
    more = f" And {len(others)} more." if others else ""
    return _short(f"{first.name}: {_of(first)}.{more}")


def asks(said: str) -> bool:
    """Whether this verdict is on a run for which inputs are asked for."""
    return said.startswith(_ASKS)


def where(whole: report.Report) -> str:
    """The stages at which it failed, on one short line of a log, whatever a runner calls them."""
    errors = [whole.error, *(program.error for program in whole.programs)]
    return _short(", ".join(dict.fromkeys(error.stage for error in errors if error)))


def _of(program: report.Program) -> str:
    if program.error is not None:
        return f"failed at {program.error.stage}, {program.error.message.rstrip('.')}"
    summary, parts = program.summary, list[str]()
    if summary.launches_core:
        launches = "launch" if summary.launches_core == 1 else "launches"
        parts.append(f"{summary.launches_eager} → {summary.launches_core} {launches}")
    parts += [
        _standing(name, timing, program)
        for name, timing in program.timings.items()
        if name != "eager"
    ]
    return "; ".join(parts) or "compiled"


def _standing(compiler: str, timing: report.Timing, program: report.Program) -> str:
    """ "core 1.90x [1.80, 2.00] faster than eager"."""
    title = _TITLES.get(compiler, compiler)
    if timing.verdict == "not compiled":
        return ": ".join([f"{title} {timing.verdict}", *_why_not(program)])
    if timing.speedup is None:
        return f"{title} {timing.verdict}".rstrip()
    low, high = timing.speedup_low, timing.speedup_high
    between = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{title} {timing.speedup:.2f}x{between} {timing.verdict}".rstrip()


def _why_not(program: report.Program) -> list[str]:
    """The first reason why Python runs it, if one is known."""
    reasons = [each.reason for each in program.graph_breaks]
    reasons += [each.reason for each in program.python]
    return [reason for reason in reasons if reason][:1]


def _short(text: str) -> str:
    seen = "".join(sign if sign.isprintable() else " " for sign in text)
    return seen if len(seen) <= LONGEST else f"{seen[: LONGEST - 1]}…"
