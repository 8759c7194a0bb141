"""What to do about a run that came no further by its deadline: which of the things that were asked
for may be left out."""

from collections.abc import Callable

from compiler_core.report import REFERENCES, Options

# The snippet's own code runs before the first stage and while it is captured: elsewhere nobody need
# look for a loop.
_LOOP = "Look for an endless loop; else make the inputs smaller."
_OF_OWN_CODE = ("", "capture")
# Of a run that came no further than this stage.
_OF_STAGES = {
    "measure": "Leave out measuring, or choose fewer compilers to be measured.",
    "timeline": "Leave out the timeline, or choose fewer compilers.",
    "insides": "Look into fewer other compilers.",
    "reference": "Choose fewer compilers.",
    "trials": "Leave out trying remedies.",
} | {info.id: f"Leave {info.title} out of the compilers." for info in REFERENCES}
_UNTARGETED = "choose none as the target (only what runs it)"
# What takes time wherever the run stood, and whether it was asked for.
_LEFT_OUT: dict[str, Callable[[Options], bool]] = {
    "look into fewer other compilers": lambda asked: bool(asked.insides),
    "choose fewer compilers": lambda asked: asked.compilers != "auto" and len(asked.compilers) > 1,
    "leave out trying remedies": lambda asked: asked.trials,
    "leave out the timeline": lambda asked: asked.timeline,
    "leave out measuring": lambda asked: asked.measure,
    _UNTARGETED: lambda asked: asked.target != "none",
}
# Stages that only a target has which the programs do not run on: "compile sm_90".
_OF_TARGET = ("compile ", "disassemble")


def late_remedy(at: str, asked: Options, programs: int) -> str:
    """`at` is the stage under way, "" before the first, of a snippet of which so many programs were
    found by then."""
    if at in _OF_OWN_CODE and programs < 2:
        return _LOOP
    if at in _OF_STAGES:
        return _OF_STAGES[at]
    everything = [each for each, is_asked in _LEFT_OUT.items() if is_asked(asked)]
    words = [_UNTARGETED] if at.startswith(_OF_TARGET) else everything
    run = "run fewer programs in one snippet" if programs > 1 else "run less in one snippet"
    said = f"{', '.join(words)}, or {run}" if words else run
    return f"{said[0].upper()}{said[1:]}."
