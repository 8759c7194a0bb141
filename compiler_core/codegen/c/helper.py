"""A helper function in C, in its pieces: of the file that calls it, or of many."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

_HIDDEN = '__attribute__((visibility("hidden"), noinline))'


@dataclass(frozen=True)
class Helper:
    """A function, or its template with names in braces. `above` is what stands before it, of which
    nobody else knows: comments, and what is made a part of it. `head` is its name and parameters.
    With `once` it is compiled as it is for all that call it."""

    above: str
    head: str
    body: str
    once: bool = False

    @property
    def text(self) -> str:
        """The function of one file."""
        alone = "__attribute__((noinline, noclone)) " if self.once else ""
        return self._defined(f"static {alone}")

    @property
    def shared(self) -> str:
        """The function where other files call it: directly, as a static one, and not through a
        table that another library could change."""
        return self._defined(f"{_HIDDEN} ")

    @property
    def declared(self) -> str:
        return f"{_HIDDEN} void {self.head};\n"

    def _defined(self, linkage: str) -> str:
        return f"{self.above}{linkage}void {self.head} {{\n{self.body}}}\n"

    def of(self, words: Mapping[str, str]) -> "Helper":
        """The function of a template."""
        above, head, body = (x.format(**words) for x in (self.above, self.head, self.body))
        return replace(self, above=above, head=head, body=body)
