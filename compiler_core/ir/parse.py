"""Parser for the text form of a graph: recursive descent, one function for each rule of the grammar
in ir/graph.py."""

import ast
import re
from collections.abc import Callable
from typing import Any, TypeVar

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import Dim, Symbol, floordiv, size
from compiler_core.ir.types import DTYPES, TensorType

T = TypeVar("T")
Scope = dict[str, Value]

_TOKEN = re.compile(r"[(){}\[\],:=]|[^\s(){}\[\],:=]+")
_NUMBERS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


def parse(text: str) -> Graph:
    """The graph that a text describes. Raises VerifyError naming the line that cannot be parsed."""
    return _Parser(text).graph()


class _Parser:
    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.tokens = [
            (token, number)
            for number, line in enumerate(self.lines)
            for token in _TOKEN.findall(line)
        ]
        self.at = 0
        self.symbols: dict[str, Symbol] = {}

    # -- tokens

    @property
    def next(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        """The next token, which must be `expected` if that is given."""
        token = self.next
        if not token or (expected and token != expected):
            raise self.fault(f"expected `{expected or 'more'}`, not `{token or 'the end'}`")
        self.at += 1
        return token

    def fault(self, message: str) -> VerifyError:
        number = self.tokens[min(self.at, len(self.tokens) - 1)][1] if self.tokens else 0
        line = self.lines[number].strip() if self.lines else ""
        return VerifyError(f"line {number + 1}, `{line}`: {message}")

    def sequence(self, item: Callable[[], T], begin: str, end: str) -> list[T]:
        """Parses `begin item, item, ... end`, which may have no items."""
        self.take(begin)
        found: list[T] = []
        while self.next != end:
            if found:
                self.take(",")
            found.append(item())
        self.take(end)
        return found

    def row(self, item: Callable[[], T]) -> list[T]:
        """Parses `item, item, ...`, at least one."""
        found = [item()]
        while self.next == ",":
            self.take(",")
            found.append(item())
        return found

    # -- rules

    def graph(self) -> Graph:
        if self.next != "graph":
            raise self.fault("a graph starts with `graph name(...) {`")
        self.take("graph")
        return self.region(Graph)

    def region(self, kind: type[Region] = Region) -> Any:
        name, scope = self.take(), Scope()
        if self.next == "[":
            declared = self.sequence(self.symbol, "[", "]")
            self.symbols = {symbol.name: symbol for symbol in declared}
        parameters = self.sequence(lambda: self.parameter(scope), "(", ")")
        inputs = [
            _parameter(number, type_, index) for index, (number, type_) in enumerate(parameters)
        ]
        scope |= {str(x): x for x in inputs}
        self.take("{")
        while self.next != "return":
            if self.next in ("}", ""):
                raise self.fault(f"{name} has no return line")
            scope |= {str(x): x for x in self.operation(scope).results}
        self.take("return")
        outputs = [] if self.next == "}" else self.row(lambda: self.use(scope))
        self.take("}")
        return kind.of(name, inputs, outputs)

    def symbol(self) -> Symbol:
        """Parses the declaration of a symbol: `B = 32 in 2..1024 by 4`, or without an upper bound
        `B = 32 in 2..`."""
        name = self.take()
        self.take("=")
        at = self.count()
        self.take("in")
        low, high = self.range()
        multiple = 1
        if self.next == "by":
            self.take()
            multiple = self.count()
        found = Symbol(name, at, low, high, multiple)
        if found.fault:
            self.at -= 1
            raise self.fault(found.fault)
        return found

    def range(self) -> tuple[int, int | None]:
        word = self.take()
        if not re.fullmatch(r"\d+\.\.\d*", word):
            self.at -= 1
            raise self.fault(f"`{word}` is no range such as 2..1024 or 2..")
        low, _, high = word.partition("..")
        return int(low), int(high) if high else None

    def parameter(self, scope: Scope) -> tuple[int, TensorType]:
        number = self.name(scope)
        self.take(":")
        return number, self.type()

    def operation(self, scope: Scope) -> Operation:
        ids = self.row(lambda: self.name(scope))
        if ids != list(range(ids[0], ids[0] + len(ids))):
            raise self.fault("the results of one operation are numbered in a row")
        self.take("=")
        op = self.take()
        operands = self.sequence(lambda: self.use(scope), "(", ")")
        attrs = self.sequence(self.attribute, "{", "}") if self.next == "{" else []
        regions = []
        while self.next != ":":
            regions.append(self.region())
        self.take(":")
        types = self.row(self.type)
        if len(types) != len(ids):
            raise self.fault(f"{len(ids)} results have {len(types)} types")
        return Operation(
            ids[0], op, tuple(operands), tuple(types), tuple(attrs), (), tuple(regions)
        )

    def attribute(self) -> tuple[str, Any]:
        name = self.take()
        self.take("=")
        if name == "callee":
            return name, Callee(self.take(), "torch", "parsed from text")
        return name, self.value()

    def value(self) -> Any:
        if self.next == "(":
            return tuple(self.sequence(self.value, "(", ")"))
        factors = self.next.removeprefix("-").split("*")
        if any(f in self.symbols or f == "floordiv" for f in factors):
            return self.size()
        word = self.take()
        if word in _NUMBERS:
            return _NUMBERS[word]
        try:
            return ast.literal_eval(word)
        except (ValueError, SyntaxError):
            return word

    def type(self) -> TensorType:
        name = self.take()
        if name not in DTYPES:
            self.at -= 1
            raise self.fault(f"`{name}` is no element type such as f32")
        return TensorType(DTYPES[name], tuple(self.sequence(self.size, "[", "]")))

    def size(self) -> Dim:
        """Parses a size: `64`, or over declared symbols `2*B*T - 4*floordiv(B, 4) + 1`."""
        total: Dim = self.term(self.take())
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            total = total + self.term(self.take()) * sign
        return total

    def term(self, word: str) -> Dim:
        result: Dim = -1 if word.startswith("-") else 1
        for factor in word.removeprefix("-").split("*"):
            result = result * self.factor(factor) if factor else result
        if self.next.startswith("*"):
            result = result * self.term(self.take().removeprefix("*"))
        return result

    def factor(self, word: str) -> Dim:
        if word.isdecimal():
            return int(word)
        if word == "floordiv":
            self.take("(")
            dividend = self.size()
            self.take(",")
            divisor = self.count()
            self.take(")")
            return floordiv(dividend, divisor)
        if word not in self.symbols:
            self.at -= 1
            raise self.fault(f"`{word}` is neither a size nor a declared symbol")
        return size(self.symbols[word])

    def count(self) -> int:
        word = self.take()
        if not word.isdecimal():
            self.at -= 1
            raise self.fault(f"`{word}` is no number")
        return int(word)

    def name(self, scope: Scope) -> int:
        """Parses the name of a value that is defined here, and returns its id."""
        word = self.take()
        if not re.fullmatch(r"%\d+", word):
            self.at -= 1
            raise self.fault(f"`{word}` is no value such as %3")
        if word in scope:
            self.at -= 1
            raise self.fault(f"{word} is defined twice")
        return int(word[1:])

    def use(self, scope: Scope) -> Value:
        word = self.take()
        if word not in scope:
            self.at -= 1
            raise self.fault(f"{word} is not defined above it")
        return scope[word]


def _parameter(number: int, type_: TensorType, index: int) -> Value:
    attrs = (("index", index), ("name", ""))
    return Operation(number, "parameter", (), (type_,), attrs).result
