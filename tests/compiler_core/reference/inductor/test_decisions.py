"""Pairs that were considered many times are one decision each."""

from dataclasses import replace

import pytest

from compiler_core.reference.inductor.decisions import calls_beside, fused_pairs, refused_pairs
from compiler_core.reference.inductor.facts import facts
from compiler_core.reference.inductor.reasons import TEMPLATE, TIMED_THERE, has_template, plain
from compiler_core.reference.inductor.records import Lowered, Pair, Unit
from compiler_core.reference.inductor.stages import Naming
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Finding

pytestmark = pytest.mark.null


def unit(*members: str, kind: str = "pointwise", read=None, written=None) -> Unit:
    name = "_".join(members)
    return Unit(name, kind, members, (), (), "", (), (), 0, 0, read or {}, written or {})


A, B, C, D = map(unit, "abcd")
AB = unit("a", "b")


def test_a_pair_that_was_fused_later_was_not_refused():
    pairs = [Pair(A, B, "node1 must go before node2", False), Pair(A, B, "", True)]
    assert refused_pairs(pairs, [AB]) == [] and fused_pairs(pairs, [AB]) == pairs[1:]


def test_the_last_reason_of_a_pair_stands_and_parts_speak_for_the_whole():
    pairs = [
        Pair(A, C, "no shared data", False),
        Pair(B, C, "intermediate nodes between node1 & node2", False),
        Pair(C, AB, "numel/rnumel mismatch (reduce) (8, 4), (4, 8)", False),
        Pair(AB, C, "node1 must go before node2", False),
    ]
    (refused,) = refused_pairs(pairs, [AB, C])
    assert (refused.first, refused.second) == (AB, C)
    assert refused.reason.startswith("numel/rnumel mismatch")


def test_a_library_call_was_refused_by_what_reads_and_what_makes_its_values():
    before = unit("a", written={"buf0": 64})
    call = unit("b", kind="call of mm", read={"buf0": 64, "x": 8}, written={"buf1": 32})
    after = unit("c", read={"buf1": 16, "x": 8})
    pairs = calls_beside([before, call, after])
    assert [(p.first, p.second) for p in pairs] == [(before, call), (call, after)]
    assert [p.bytes for p in pairs] == [64, 16 + 8]


def test_what_was_taken_apart_again_is_in_no_decision():
    pairs = [Pair(A, B, "", True), Pair(AB, C, "no shared data", False)]
    assert fused_pairs(pairs, [A, B, C]) == [] and refused_pairs(pairs, [A, B, C]) == []


def test_the_same_fusion_of_two_rounds_is_one():
    pairs = [Pair(A, B, "", True), Pair(A, B, "", True)]
    assert len(fused_pairs(pairs, [AB])) == 1


@pytest.mark.parametrize(
    "reason, word",
    [
        ("node2 is extern or nop", "library"),
        ("numel/rnumel mismatch (reduce) (8, 4), (4, 8)", "ranges"),
        ("something that a later release says", "something that a later release says"),
    ],
)
def test_reasons_are_said_in_plain_words_where_they_are_known(reason, word):
    assert word in plain(reason).why


def test_two_nodes_that_compute_the_same_are_told_apart_in_inductors_own_words():
    shared = {"buf0": 64}
    first, second = (replace(unit(n, read=shared), ops=("add", "relu")) for n in ("op1", "op2"))
    lowered = Lowered(
        "", None, [], {}, after=[first, second], pairs=[Pair(first, second, "", False)]
    )
    found = [f for f in facts(Naming(SourceLines(())), lowered) if isinstance(f, Finding)]
    said = [(f.what.partition(" run in ")[0], f.raw) for f in found]
    assert said == [("add, relu and another of the same operations", "op1 and op2: ")]


def test_max_autotune_has_a_template_for_some_calls():
    mm, cumsum = ["extern_kernels.mm"], ["torch.ops.aten.cumsum.default"]
    assert has_template(mm, "gpu") and has_template(["extern_kernels.bmm"], "cpu")
    # On a CPU products have one only where their weights are frozen, which the mode does not ask.
    assert not has_template(mm, "cpu") and not has_template(cumsum, "gpu")


@pytest.mark.parametrize("template", [TEMPLATE, TIMED_THERE, ""])
def test_a_call_that_fuses_with_nothing_has_the_remedy_of_its_mode(template):
    call = unit("a", kind="call of extern_kernels.mm", written={"buf0": 64})
    lowered = Lowered("", None, [], {}, after=[call, unit("b", read={"buf0": 64})])
    naming = Naming(SourceLines(()), backend="gpu", template=template)
    found = [f for f in facts(naming, lowered) if isinstance(f, Finding)]
    assert [f.remedy for f in found if f.kind == "not fused"] == [template]
