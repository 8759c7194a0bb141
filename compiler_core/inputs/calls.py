"""Text -> calls: "f32[32,512], f32[512]", "attend(f32[2,8,64], 4)", "Net(16)(f32[4,16]); g(i64[])".

A text is a list of inputs, or calls of named programs with a semicolon between them. An input is a
tensor (specs.py), a number, True, False, None, a text in quotes, a list, tuple or dict of inputs, a
name of the snippet, or a call of one; `name=` before it makes it a keyword.
"""

import re
from collections.abc import Callable
from typing import TypeVar

from compiler_core.inputs.error import InputsError, shown
from compiler_core.inputs.specs import BYTES, InputSpec, check_size, read_spec, skip
from compiler_core.inputs.values import Arguments, Call, Listed, Literal, Mapped, Named, New, Value

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_KEYWORD = re.compile(r"([^\W\d]\w*)\s*=(?!=)")
_NUMBER = re.compile(
    r"[-+]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][-+]?[0-9]{1,3})?"
)
_TEXT = re.compile(r""""[^"\\\n]*"|'[^'\\\n]*'""")
_CONSTANTS = {"True": True, "False": False, "None": None}
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_DEEPEST = 16

T = TypeVar("T")


def calls(text: str) -> tuple[Call, ...]:
    """The calls in `text`, none where it is blank. Raises InputsError."""
    return _Reader(text).calls()


class _Reader:
    """Reads `text` from `at` on."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._sizes: dict[str, int] = {}
        self._count = self._total = self._depth = 0

    def calls(self) -> tuple[Call, ...]:
        if not self._peek():
            return ()
        found = [self._call()]
        while self._read(";"):
            found.append(self._call())
        if self._peek():
            raise self._misplaced()
        return tuple(found)

    def _call(self) -> Call:
        arguments = self._arguments("")
        match arguments:
            case Arguments((New(name, first),), ()):
                if self._peek() != "(":
                    return Call(first, name)
                return Call(self._bracketed(self._arguments), name, first)
        return Call(arguments)

    def _arguments(self, closing: str) -> Arguments:
        """Up to `closing`; to where no comma follows for ""."""
        positional: list[Value] = []
        keywords: dict[str, Value] = {}
        more = True
        while more and (self._peek() != closing or not closing):
            keyword = _KEYWORD.match(self._text, self._at)
            if keyword is not None:
                self._at = keyword.end()
                keywords[keyword[1]] = self._value()
            elif keywords:
                raise self._wrong("follows a keyword", "put inputs without a name first")
            else:
                positional.append(self._value())
            more = self._read(",")
        return Arguments(tuple(positional), tuple(keywords.items()))

    def _value(self) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InputsError("the inputs are nested too deeply", self._at + 1, "flatten them")
        value = self._by_first(self._peek())
        self._depth -= 1
        return value

    def _by_first(self, first: str) -> Value:
        if first in ("[", "("):
            return self._listed(first)
        if first == "{":
            return self._bracketed(self._mapped)
        for pattern, read in ((_TEXT, _text), (_NUMBER, _number)):
            found = pattern.match(self._text, self._at)
            if found:
                self._at = found.end()
                return Literal(read(found[0]))
        found = _DOTTED.match(self._text, self._at)
        if found is None:
            what = f'"{shown(self._text[self._at :])}" is not an input' if first else (
                "an input is missing"
            )  # fmt: skip
            raise InputsError(what, self._at + 1, "write a type and a shape, as in f32[32,512]")
        return self._of_name(found[0], found.end())

    def _of_name(self, name: str, end: int) -> Value:
        after = self._text[skip(self._text, end) :][:1]
        if name in _CONSTANTS and after not in ("[", "("):
            self._at = end
            return Literal(_CONSTANTS[name])
        if after == "[" or (name in BYTES and after != "("):
            return self._spec()
        self._at = end
        return New(name, self._bracketed(self._arguments)) if after == "(" else Named(name)

    def _spec(self) -> InputSpec:
        start = self._at
        spec, self._at = read_spec(self._text, start, self._sizes)
        self._count, self._total = self._count + 1, self._total + spec.nbytes
        check_size(spec, self._count, self._total, start)
        return spec

    def _listed(self, bracket: str) -> Listed:
        start, items = self._at, self._bracketed(self._arguments)
        if items.keywords:
            self._at = start
            raise self._wrong("has a keyword inside", 'write {"name": f32[32,512]} for a dict')
        return Listed(items.positional, bracket)

    def _mapped(self, closing: str) -> Mapped:
        items: list[tuple[Literal, Value]] = []
        while self._peek() != closing:
            key = self._value()
            if not isinstance(key, Literal) or self._peek() != ":":
                raise self._wrong("does not belong there", 'write {"name": f32[32,512]}')
            self._at += 1
            items.append((key, self._value()))
            if not self._read(","):
                break
        return Mapped(tuple(items))

    def _bracketed(self, read: Callable[[str], T]) -> T:
        """What `read` reads up to the closing bracket."""
        self._peek()
        start = self._at
        closing = _CLOSING[self._text[start]]
        self._at += 1
        inside = read(closing)
        if not self._peek():
            raise InputsError(
                f'"{shown(self._text[start:])}" is not closed',
                start + 1,
                f'end it with "{closing}"',
            )
        if not self._read(closing):
            raise self._misplaced()
        return inside

    def _read(self, sign: str) -> bool:
        """Whether `sign` came next; it is then read."""
        found = self._peek() == sign
        self._at += found
        return found

    def _peek(self) -> str:
        """The next sign, "" at the end."""
        self._at = skip(self._text, self._at)
        return self._text[self._at : self._at + 1]

    def _misplaced(self) -> InputsError:
        return self._wrong("does not belong there", "put a comma between two inputs")

    def _wrong(self, what: str, remedy: str) -> InputsError:
        return InputsError(f'"{shown(self._text[self._at :])}" {what}', self._at + 1, remedy)


def _text(found: str) -> str:
    return found[1:-1]


def _number(found: str) -> int | float:
    return float(found) if re.search(r"[.eE]", found) else int(found)
