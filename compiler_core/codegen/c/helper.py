"""A helper function of generated C, in parts, so that it can be printed into a file or shared by
many."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

_HIDDEN = '__attribute__((visibility("hidden"), noinline))'


@dataclass(frozen=True)
class Helper:
    """A function, or a template of one with names in braces. `above` is text that precedes it:
    comments, and functions that only it calls. `head` is its name and parameters. With `once` it is
    compiled once for all its callers, neither inlined nor specialised."""

    above: str
    head: str
    body: str
    once: bool = False

    @property
    def text(self) -> str:
        """The definition in the one file that calls it."""
        alone = "__attribute__((noinline, noclone)) " if self.once else ""
        return self._defined(f"static {alone}")

    @property
    def shared(self) -> str:
        """The definition for other files to call. It has hidden visibility, so that calls are
        direct and no other library can replace it."""
        return self._defined(f"{_HIDDEN} ")

    @property
    def declared(self) -> str:
        """The declaration for files that call the shared one."""
        return f"{_HIDDEN} void {self.head};\n"

    def _defined(self, linkage: str) -> str:
        return f"{self.above}{linkage}void {self.head} {{\n{self.body}}}\n"

    def of(self, words: Mapping[str, str]) -> "Helper":
        """The template with `words` for its names in braces."""
        above, head, body = (x.format(**words) for x in (self.above, self.head, self.body))
        return replace(self, above=above, head=head, body=body)
