"""A jaxpr to a graph: one walk over its equations, one table from primitive to rule.

Calls (jit, custom_jvp, remat and their kin) are walked into; they leave a heading in the text.
A primitive without a rule stays JAX's own: a library call.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jax.extend import core

from compiler_core.capture.complex_numbers import packing
from compiler_core.capture.jax import (
    complex_table,
    control,
    factors,
    float8_table,
    library,
    random,
)
from compiler_core.capture.jax.calls import CALLS
from compiler_core.capture.jax.functions import Functions
from compiler_core.capture.jax.params import plain
from compiler_core.capture.jax.platforms import of_platform
from compiler_core.capture.jax.private import scopes_of, stack_of
from compiler_core.capture.jax.solves import solve_of
from compiler_core.capture.jax.symbols import is_symbolic
from compiler_core.capture.jax.table import TABLE
from compiler_core.capture.jax.text import equation
from compiler_core.capture.jax.traced import Traced
from compiler_core.capture.jax.types import type_of
from compiler_core.capture.jax.views import JaxRule
from compiler_core.capture.jax.written import written
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.errors import REPORT_IT, Unsupported, at_line
from compiler_core.interop.packed import is_complex, is_float8, is_key
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Undecided
from compiler_core.report import CapturedOp
from compiler_core.snippet.source import Place, is_own, place_in


@dataclass
class Lowering:
    """One walk over a jaxpr: the graph that is built, and what was captured on the way."""

    b: Builder = field(default_factory=Builder)
    operations: list[CapturedOp] = field(default_factory=list)
    lines: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    # The arrays that the program closes over, with their nodes, by identity.
    lifted: list[Any] = field(default_factory=list)
    constants: dict[int, Traced] = field(default_factory=dict)
    # Primitives without results, with their lines, each once.
    effects: dict[tuple[str, int | None], None] = field(default_factory=dict)
    # Factorizations that are loops of the graph's own, each once.
    factorizations: dict[str, None] = field(default_factory=dict)
    entry: int | None = None
    # The place of the library function that is being walked through: JAX traces such functions
    # once, and their equations keep the lines of whoever called them first.
    outer: Place | None = None
    # The place of the loop or branch that is being walked through, for what has none of its own.
    around: Place | None = None
    # The named scopes of the calls, loops and branches that are being walked through.
    scopes: tuple[str, ...] = ()
    functions: Functions = field(default_factory=Functions)
    # The number of each equation in the order of the walk, without those in loops and branches, and
    # in programs that replace a single equation.
    walked: list[int] = field(default_factory=list)
    _inside: int = 0

    # -- values

    def parameter(self, aval: Any, name: str) -> Traced:
        """An input of the graph, of the abstract value `aval`."""
        return Traced(self.b.parameter(type_of(aval), name), name)

    def constant(self, array: Any, aval: Any) -> Traced:
        """An array that the program closes over: a number if it is a scalar whose value is known,
        else a further input of the graph."""
        known = self.constants.get(id(array))
        if known is None:
            if not aval.shape and isinstance(array, np.ndarray | np.generic):
                known = Traced(None, str(array), array.item())
            else:
                known = self.parameter(aval, f"constant{len(self.lifted)}")
                self.lifted.append(array)
            self.constants[id(array)] = known
        return known

    def node(self, value: Traced, aval: Any) -> Value:
        """The IR value of a traced value; a number becomes a constant of the type of `aval`."""
        if value.node is not None:
            return value.node
        type_ = type_of(aval)
        if is_complex(aval):
            return packing.constant(self.b, value.number, type_.dtype, type_.shape[:-1])
        number = float8_table.byte_of(value.number, aval) if is_float8(aval) else value.number
        return LoweringContext(self.b, (type_,)).cast(number, type_.dtype, type_.shape)

    # -- equations

    def run(
        self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Traced], depth: int = 1
    ) -> list[Traced]:
        """Lowers the equations of a jaxpr for the given constants and arguments; returns the values
        of its results. `depth` is the indentation of its lines in the text."""
        env: dict[Any, Traced] = {}
        for var, array in zip(jaxpr.constvars, consts, strict=True):
            env[var] = self.constant(array, var.aval)
        env.update(zip(jaxpr.invars, args, strict=True))

        def read(atom: Any) -> Traced:
            return _literal(atom) if isinstance(atom, core.Literal) else env[atom]

        for eqn in jaxpr.eqns:
            results = self._equation(eqn, [read(atom) for atom in eqn.invars], depth)
            env.update(zip(eqn.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _equation(self, eqn: Any, args: list[Traced], depth: int) -> list[Traced]:
        if eqn.primitive.name in CALLS:
            return self._call(eqn, eqn.params[CALLS[eqn.primitive.name]], args, depth)
        if (branch := of_platform(eqn)) is not None:
            with self._within(len(self.operations)):
                return self._call(eqn, branch, args[1:], depth)
        if (solve := solve_of(eqn, args, _is_known)) is not None:
            return self._call(eqn, *solve, depth)
        inner = random.on_words(eqn) or written(eqn)
        if inner is not None:
            if eqn.primitive.name in factors.FACTORIZATIONS:
                self.factorizations[eqn.primitive.name] = None
            with self._within(len(self.operations)):
                return self._call(eqn, inner, args, depth)
        place = self.outer or place_of(eqn) or self.around or (self.entry, None, None)
        with at_line(place[0]):
            return self._operation(eqn, args, depth, *place)

    def _operation(
        self,
        eqn: Any,
        args: list[Traced],
        depth: int,
        line: int | None,
        column: int | None,
        end: int | None,
    ) -> list[Traced]:
        number, scope = len(self.operations), "/".join((*self.scopes, *scopes_of(eqn)))
        self.operations.append(
            CapturedOp(number, eqn.primitive.name, line, column, scope=scope, end=end)
        )
        self.functions.note(number, eqn)
        effect = "" if eqn.outvars else "  # an effect alone: not in the graph"
        self.line(equation(number, eqn, args) + effect, depth, number)
        if effect:
            self.effects[eqn.primitive.name, line] = None
            return []
        with self.b.origin(number), self._within(number):
            try:
                nodes = self._lower(eqn, args, number, depth)
            except Undecided as question:
                raise Undecided(f"{eqn.primitive.name}: {question.message}") from question
        suffixes = [f"#{i}" for i in range(len(nodes))] if len(nodes) > 1 else [""]
        return [Traced(n, f"{number}{s}") for n, s in zip(nodes, suffixes, strict=True)]

    @contextmanager
    def _within(self, number: int) -> Iterator[None]:
        """Around what equation `number` has in it, none of which is walked to itself."""
        if not self._inside:
            self.walked.append(number)
        self._inside += 1
        yield
        self._inside -= 1

    @contextmanager
    def _below(self, eqn: Any, is_library: bool = False) -> Iterator[None]:
        """Around the program that an equation runs, whose scopes begin anew."""
        before, self.scopes = self.scopes, (*self.scopes, *scopes_of(eqn))
        with self.functions.below(eqn, is_library):
            yield
        self.scopes = before

    def line(self, text: str, depth: int, number: int | None = None) -> None:
        """Adds a line to the text, which belongs to the captured operation `number` if there is
        one."""
        self.lines.append((f"{'  ' * depth}{text}", () if number is None else (number,)))

    def _lower(self, eqn: Any, args: list[Traced], number: int, depth: int) -> Sequence[Value]:
        atoms = (*eqn.invars, *eqn.outvars)
        rule = _rule_of(eqn)
        if rule is not None:
            types = tuple(type_of(v.aval) for v in eqn.outvars)
            operands = [a.number if a.node is None else a.node for a in args]
            if operands and all(a.node is None for a in args):
                # A rule has one value at least; of numbers alone the first becomes one.
                operands[0] = self.node(args[0], eqn.invars[0].aval)
            results = rule(LoweringContext(self.b, types), plain(eqn.params), *operands)
            nodes = [results] if isinstance(results, Value) else results
            if nodes is not None:
                _check(eqn, nodes, types)
                return nodes
        why = ""
        if eqn.primitive.name in control.TABLE:
            results, why = self._control(eqn, args, number, depth)
            if not why:
                return results
        if is_symbolic((eqn.params, [a.aval.shape for a in atoms])):
            raise Undecided(f"{why or 'it has no rule'}, and its sizes are symbols")
        given = [
            self.node(a, atom.aval)
            for a, atom in zip(args, eqn.invars, strict=True)
            if not isinstance(atom, core.Literal)
        ]
        return library.call(self.b, eqn, given, why)

    def _control(
        self, eqn: Any, args: list[Traced], number: int, depth: int
    ) -> tuple[Sequence[Value], str]:
        """The results of a loop or a branch, and the reason to leave it to JAX after all: what was
        captured in it is then forgotten."""
        mark = len(self.operations), len(self.lines)
        around, self.around = self.around, place_of(eqn) or self.around
        with self._below(eqn):
            site = control.Site(self, eqn, number, depth)
            results = control.TABLE[eqn.primitive.name](site, args)
        self.around = around
        why = control.not_lowered(results) or ""
        if why:
            del self.operations[mark[0] :], self.lines[mark[1] :]
        return results, why

    def _call(self, eqn: Any, inner: Any, args: list[Traced], depth: int) -> list[Traced]:
        """`inner` is the program that the equation runs."""
        consts = getattr(inner, "consts", ())
        jaxpr = getattr(inner, "jaxpr", inner)
        at, first, outer = len(self.lines), len(self.operations), self.outer
        self.lines.append(("", ()))
        is_library = not _is_of_snippet(jaxpr)
        if is_library:
            self.outer = outer or place_of(eqn)
        with self._below(eqn, is_library):
            results = self.run(jaxpr, consts, args, depth + 1)
        self.outer = outer
        inside = tuple(range(first, len(self.operations)))
        name = eqn.params.get("name")
        heading = f"{'  ' * depth}{eqn.primitive.name}{f' {name}' if name else ''}:"
        self.lines[at] = (heading, inside)
        return results


def _is_of_snippet(jaxpr: Any) -> bool:
    """Whether the function that a jaxpr was traced from is the snippet's."""
    return is_own(str(getattr(jaxpr.debug_info, "func_filename", None)))


def _rule_of(eqn: Any) -> JaxRule | None:
    avals = [atom.aval for atom in (*eqn.invars, *eqn.outvars)]
    if any(map(is_key, avals)):
        return None
    if any(map(is_float8, avals)):
        return float8_table.rule_of(eqn)
    if any(map(is_complex, avals)):
        return complex_table.rule_of(eqn)
    return TABLE.get(eqn.primitive.name)


def _is_known(eqn: Any) -> bool:
    return _rule_of(eqn) is not None or factors.program_of(eqn) is not None


_KINDS: tuple[Any, ...] = (bool, int, float, complex)


def _literal(atom: Any) -> Traced:
    value = atom.val
    number = value.item() if hasattr(value, "item") else value
    # JAX's own subclasses of int and float print their type.
    number = next((kind(number) for kind in _KINDS if isinstance(number, kind)), number)
    return Traced(None, str(number), number)


def _check(eqn: Any, nodes: Sequence[Value], types: Sequence[Any]) -> None:
    for node, type_ in zip(nodes, types, strict=True):
        if node.type != type_:
            raise Unsupported(
                f"{eqn.primitive.name} gives {type_}, its rule gives {node.type}",
                remedy=REPORT_IT,
            )


def place_of(eqn: Any) -> Place | None:
    """The innermost frame of the snippet in the equation's stack."""
    for code, lasti in stack_of(eqn):
        if is_own(code.co_filename):
            return place_in(code, lasti)
    return None
