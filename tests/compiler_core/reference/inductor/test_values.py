"""Each line of a generated kernel leads to the operation that it was written for."""

from pathlib import Path

import pytest

from compiler_core.reference.inductor import line_map, output_code
from compiler_core.reference.inductor.records import Lowered
from compiler_core.reference.inductor.values import Values
from compiler_core.reference.origins import Origin

pytestmark = pytest.mark.null

ADD, ERF, SUM = Origin(4, 9, "aten.add"), Origin(5, 9, "aten.gelu"), Origin(6, 9, "aten.sum")
VERSIONS = sorted((Path(__file__).parent / "samples").iterdir())


def test_a_line_is_for_what_its_value_was_named_for():
    values = Values()
    values.add("tmp2", "tmp0 + tmp1", ADD)
    values.add("tmp7", "libdevice.erf(tmp2)", ERF)
    assert [*values.of(["    tmp2 = tmp0 + tmp1", "    auto tmp7 = libdevice.erf(tmp2);"])] == [
        {ADD}, {ERF},
    ]  # fmt: skip


def test_a_line_that_names_nothing_is_for_the_values_in_it_as_they_were_named_last():
    values = Values()
    for text, origin in (("in_ptr0[x0]", ADD), ("out_ptr0[x0]", SUM)):
        values.add("tmp0", text, origin)
    lines = [
        "auto tmp0 = in_ptr0[x0];",
        "tmp0.store(out_ptr0 + x0);",
        "auto tmp0 = out_ptr0[x0];",
        "tmp0.store(out_ptr1 + x0);",
        "for(int64_t x0=0; x0<8; x0+=1)",
    ]
    assert [*values.of(lines)] == [{ADD}, {ADD}, {SUM}, {SUM}, set()]


def test_what_a_reduction_adds_up_in_is_the_reductions():
    values = Values()
    values.add("tmp_acc0", "reduction sum", SUM)
    values.add("tmp0", "in_ptr0[x0]", ADD)
    lines = ["auto tmp0 = in_ptr0[x0];", "tmp_acc0_vec = tmp_acc0_vec + tmp0;"]
    assert [*values.of(lines)] == [{ADD}, {SUM}]


def test_a_name_whose_text_is_several_lines_leads_by_itself():
    values = Values()
    values.add("tmp3", "", ERF)
    assert [*values.of(["auto tmp3 =", "[&]", "return tmp3;"])] == [{ERF}, set(), {ERF}]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda path: path.name)
def test_a_comment_leads_to_the_nodes_that_it_lists(version):
    code = output_code.parsed((version / "cuda.txt").read_text())
    lowered = Lowered("", None, [], {}, nodes={"add": ADD, "erf": ERF, "mul": ERF})
    found = line_map.nodes(code, lowered, lambda at: sorted(x.line for x in at), {})
    told = {
        line.split("(")[0]: ids for line, ids in zip(code.text.splitlines(), found, strict=True)
    }
    (listed,) = (ids for line, ids in told.items() if line.startswith("#   y => "))
    (fragment,) = (ids for line, ids in told.items() if line.startswith("#   %add : "))
    assert listed == [5] and fragment == [4]
