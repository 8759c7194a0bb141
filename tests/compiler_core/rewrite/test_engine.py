"""The engine applies rules until none matches, and records each use."""

from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.verify import verify
from compiler_core.rewrite.engine import by_root, rewrite, rule
from compiler_core.rewrite.pattern import Var, op

X, Y = Var("x"), Var("y")
TWICE = rule("negate-twice", "-(-x) -> x", op("negate", -X), X)
SUBTRACT = rule("subtract-as-add", "x - y -> x + -y", X - Y, X + -Y)

NEGATED = parse("""graph f(%0: f32[4]) {
  %1 = negate(%0) : f32[4]
  %2 = negate(%1) : f32[4]
  %3 = tanh(%2) : f32[4]
  return %3
}
""")


def test_what_nothing_matches_stays_the_same_graph():
    graph, done = rewrite(NEGATED, [SUBTRACT])
    assert graph is NEGATED and done == []


def test_a_match_is_replaced_and_what_is_not_read_goes():
    graph, _ = rewrite(NEGATED, [TWICE])
    assert to_text(graph) == ("graph f(%0: f32[4]) {\n  %3 = tanh(%0) : f32[4]\n  return %3\n}\n")


def test_each_use_is_recorded_with_its_rule_and_both_texts():
    _, (done,) = rewrite(NEGATED, [TWICE])
    assert (done.rule, done.law) == ("negate-twice", "-(-x) -> x")
    assert (done.before, done.after) == ("%2 = negate(%1) : f32[4]", "%0")


def test_what_a_rule_builds_is_rewritten_too():
    graph = parse("""graph f(%0: f32[4], %1: f32[4]) {
  %2 = negate(%1) : f32[4]
  %3 = subtract(%0, %2) : f32[4]
  return %3
}
""")
    rewritten, done = rewrite(graph, [SUBTRACT, rule("add-minus", "", X + op("negate", -Y), X + Y)])
    assert [r.rule for r in done] == ["subtract-as-add", "add-minus"]
    assert [o.op for o in verify(rewritten, "test").operations] == ["add"]


def test_a_new_value_keeps_the_number_and_the_origins_of_the_old_one():
    graph = parse("graph f(%0: f32[4], %1: f32[4]) {\n  %2 = subtract(%0, %1) : f32[4]\n"
                  "  return %2\n}\n")  # fmt: skip
    rewritten, _ = rewrite(graph, [SUBTRACT])
    (result,) = rewritten.outputs
    assert (result.id, result.op) == (2, "add")


def test_bodies_of_loops_are_rewritten():
    graph = parse("""graph f(%0: i32[], %1: f32[4]) {
  %2 = case(%0, %1) branch0(%3: f32[4]) {
    %4 = negate(%3) : f32[4]
    %5 = negate(%4) : f32[4]
    %6 = tanh(%5) : f32[4]
    return %6
  } : f32[4]
  return %2
}
""")
    rewritten, _ = rewrite(graph, [TWICE])
    (case,) = rewritten.operations
    assert [o.op for o in case.regions[0].operations] == ["tanh"]


def test_rules_are_indexed_by_the_operation_at_the_root():
    anywhere = rule("any", "", X, X)
    found = by_root([TWICE, SUBTRACT, anywhere])
    assert found("negate") == (TWICE, anywhere)
    assert found("tanh") == (anywhere,)
    assert by_root([rule("e", "", op("tanh", X), X)])("negate") == ()
