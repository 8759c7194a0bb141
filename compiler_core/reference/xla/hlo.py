"""HLO's text, parsed: computations of instructions, each with its metadata. A line that cannot be
parsed is no instruction, and stays in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

_COMPUTATION = re.compile(r"(?P<entry>ENTRY )?%?(?P<name>[\w.\-]+) .*\{$")
_INSTRUCTION = re.compile(r"\s+(?P<root>ROOT )?%?(?P<name>[\w.\-]+) = (?P<rest>.*)$")
_OPCODE = re.compile(r"(?P<opcode>[a-z][\w\-]*)\(")
_METADATA = re.compile(r',? ?metadata=\{(?P<inner>(?:[^"}]|"(?:[^"\\]|\\.)*")*)\}')
_OP_NAME = re.compile(r'op_name="(?P<name>(?:[^"\\]|\\.)*)"')
_FRAME = re.compile(r"stack_frame_id=(\d+)")
_CALLED = re.compile(
    r"(?:calls|to_apply|body|condition|branch_computations|called_computations)="
    r"(\{[^}]*\}|%?[\w.\-]+)"
)
_KIND = re.compile(r"kind=(k\w+)")
_CUSTOM = re.compile(r'"fusion_config":\{"kind":"(\w+)"')
_REFERENCE = re.compile(r"%([\w.\-]+)")
_CLOSING = {"(": ")", "{": "}", "[": "]"}


@dataclass(frozen=True)
class Instruction:
    """One line of a computation. `line` is its number in the module's text, from 0; `type` is with
    its layout, as in f32[8,16]{1,0}."""

    name: str
    opcode: str
    type: str
    operands: tuple[str, ...]
    line: int
    rest: str
    is_root: bool = False
    op_name: str = ""
    frame: int | None = None

    @cached_property
    def called(self) -> tuple[str, ...]:
        """The names of the computations that it calls."""
        return tuple(
            name.strip(" %")
            for group in _CALLED.findall(self.rest)
            for name in group.strip("{}").split(",")
        )

    @property
    def fusion_kind(self) -> str:
        """The kind of a fusion: kLoop, kOutput, ..., or the library that runs it."""
        own = _CUSTOM.search(self.rest)
        kind = own or _KIND.search(self.rest)
        return kind[1].strip("_") if kind else ""

    @property
    def number(self) -> int | None:
        """The number of a parameter, or of the element that a get-tuple-element takes; None for
        others."""
        found = re.search(r"parameter\((\d+)\)|index=(\d+)", self.rest)
        return int(found[1] or found[2]) if found else None


@dataclass(frozen=True)
class Computation:
    """A computation with its instructions in the order of the text, which in a scheduled module is
    the order of execution."""

    name: str
    is_entry: bool
    instructions: tuple[Instruction, ...]
    # The lines of the text that it has, the last one excluded.
    lines: tuple[int, int]

    @cached_property
    def by_name(self) -> dict[str, Instruction]:
        return {each.name: each for each in self.instructions}

    @property
    def root(self) -> Instruction:
        return next((i for i in self.instructions if i.is_root), self.instructions[-1])

    @property
    def parameters(self) -> dict[int, Instruction]:
        """The computation's parameters by number."""
        return {i.number or 0: i for i in self.instructions if i.opcode == "parameter"}


@dataclass(frozen=True)
class Module:
    """A module's text and its computations by name. `head` are the lines before the first one: the
    module's own line and the tables to which metadata refer."""

    lines: tuple[str, ...]
    head: tuple[str, ...]
    computations: dict[str, Computation] = field(default_factory=dict)

    @property
    def entry(self) -> Computation | None:
        return next((c for c in self.computations.values() if c.is_entry), None)

    @property
    def name(self) -> str:
        """The module's name: jit_f in `HloModule jit_f, is_scheduled=true`."""
        words = self.head[0].split(maxsplit=1) if self.head else []
        return words[1].split(",")[0].strip() if len(words) > 1 else ""

    @property
    def is_scheduled(self) -> bool:
        """Whether instructions are in the order of execution."""
        return "is_scheduled=true" in self.head[0]

    @cached_property
    def instruction_at(self) -> dict[int, Instruction]:
        """The instructions by their lines in the text."""
        return {i.line: i for c in self.computations.values() for i in c.instructions}

    def named(self, name: str) -> Instruction | None:
        """The instruction with this name, which is unique in a module."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Instruction]:
        return {i.name: i for i in self.instruction_at.values()}

    @cached_property
    def shown(self) -> tuple[tuple[str, int | None], ...]:
        """The lines that people read, without tables and metadata, each with its number in the
        text."""
        first = len(self.head)
        below = enumerate(self.lines[first:], first)
        return ((self.head[0], None), ("", None), *((without_metadata(x), n) for n, x in below))

    @property
    def text(self) -> str:
        """The lines that are shown."""
        return "".join(f"{line}\n" for line, _ in self.shown)


def without_metadata(line: str) -> str:
    """A line without its metadata."""
    return _METADATA.sub("", line)


def parse(text: str) -> Module:
    """Parses a module's text. Any other text gives a module without computations."""
    lines = tuple(text.splitlines())
    found = tuple(_computations(lines))
    first = found[0].lines[0] if found else len(lines)
    return Module(lines, lines[:first] or ("",), {c.name: c for c in found})


def _computations(lines: tuple[str, ...]) -> Iterator[Computation]:
    head: re.Match[str] | None = None
    first, inside = 0, list[Instruction]()
    for number, line in enumerate(lines):
        if head is None:
            head, first, inside = _COMPUTATION.match(line), number, []
            if line.startswith("HloModule"):
                head = None
        elif line.startswith("}"):
            if inside:
                yield Computation(
                    head["name"], bool(head["entry"]), tuple(inside), (first, number + 1)
                )
            head = None
        elif found := _instruction(line, number):
            inside.append(found)


def _instruction(line: str, number: int) -> Instruction | None:
    """None for a line that is none, as one of a constant's values."""
    found = _INSTRUCTION.match(line)
    if found is None:
        return None
    type_, after = _split_type(found["rest"])
    opcode = _OPCODE.match(after)
    if opcode is None:
        return None
    operands = after[opcode.end() : _closing(after, opcode.end() - 1)]
    meta = _METADATA.search(after)
    metadata = meta["inner"] if meta else ""
    name, frame = _OP_NAME.search(metadata), _FRAME.search(metadata)
    return Instruction(
        found["name"],
        opcode["opcode"],
        type_,
        tuple(_REFERENCE.findall(operands)),
        number,
        without_metadata(after),
        bool(found["root"]),
        name["name"] if name else "",
        int(frame[1]) if frame else None,
    )


def _split_type(rest: str) -> tuple[str, str]:
    """An instruction's type, which of several results is in parentheses, and what follows it."""
    end = _closing(rest, 0) + 1 if rest.startswith("(") else rest.find(" ")
    return (rest[:end], rest[end:].lstrip()) if end > 0 else ("", rest)


def _closing(text: str, opening: int) -> int:
    """Where the bracket at `opening` is closed; the text's end for one that is not."""
    depth, pair = 0, (text[opening], _CLOSING[text[opening]])
    for index in range(opening, len(text)):
        depth += (text[index] == pair[0]) - (text[index] == pair[1])
        if not depth:
            return index
    return len(text)
