"""Programs called with the inputs of the options instead of the snippet's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

from compiler_core.report import Options
from compiler_core.snippet.called import with_inputs
from compiler_core.snippet.given import Given, given
from compiler_core.snippet.intercept import Interceptor
from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.plain import plain_programs
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import Source
from compiler_core.snippet.uncompiled import with_given

_NOT_TAKEN = (
    "the inputs are not used: the snippet calls its programs itself, and none of them is called "
    "so; write a call as the Inputs panel shows it, or leave the panel blank"
)


@dataclass(frozen=True)
class Asked:
    """The inputs that a person gave with the options, and the snippet that they are for."""

    source: Source
    module: ModuleType
    options: Options
    device: str
    emit: Emit

    def instead_of(self, programs: Sequence[FoundProgram]) -> list[FoundProgram]:
        """The `programs` that the snippet calls, with the given inputs in place of its own where
        inputs are given: for the programs that these name, or for another function of the snippet.
        Inputs that fit nothing are ignored with a notice. Raises SnippetError for a text that
        cannot be parsed."""
        if not self.options.inputs.strip():
            return list(programs)
        all_given = given(self.source, self.options)
        found = self._called(programs, all_given)
        if found:
            return found
        plains = {plain.name for plain in plain_programs(self.source, self.module)}
        if plains.issuperset(each.call.name for each in all_given):
            return self.with_given()
        notice(self.emit, _NOT_TAKEN)
        return list(programs)

    def of_seen(self, interceptor: Interceptor) -> list[FoundProgram]:
        """The programs that the snippet calls without compiling them, if the inputs name them; an
        object is used in its current state, rather than a new one of its class."""
        if not self.options.inputs.strip():
            return []
        all_given = given(self.source, self.options)
        if not all(each.call.name for each in all_given):
            return []
        return self._called(interceptor.seen(self.device), all_given)

    def _called(
        self, programs: Sequence[FoundProgram], all_given: Sequence[Given]
    ) -> list[FoundProgram]:
        """Those of `programs` that are meant, called as they are given."""
        drawn = self.options.seed
        return with_inputs(programs, all_given, self.module, self.device, self.emit, drawn)

    def with_given(self) -> list[FoundProgram]:
        """The programs that the snippet does not call, with inputs from the options or from its
        comments."""
        return with_given(self.source, self.module, self.options, self.device, self.emit)
