"""The snippet's later calls through Dynamo: guards that fail, sizes that become symbols."""

import re

import pytest

from compiler_core import report
from tests.compiler_core.reference.dynamo.calls_again import entries, seen, table_of
from tests.compiler_core.reference.looking import stages_of

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module")
def again() -> report.Program:
    return seen("""
        import torch

        SCALE = 3

        @torch.compile
        def f(x, n):
            y = torch.relu(x) * n * SCALE
            if x.shape[0] > 12:
                y = y - 1
            return y

        f(torch.ones(8, 16), 2)
        f(torch.ones(9, 16), 2)
        f(torch.ones(16, 16), 2)
        f(torch.ones(9, 16, dtype=torch.float64), 2)
        with torch.no_grad():
            f(torch.ones(8, 16), 2)
        SCALE = 4
        f(torch.ones(9, 16), 2)
        """)


def test_each_recompilation_says_which_guard_failed_and_how_near_the_limit_is(again) -> None:
    keys = (
        "line",
        "version",
        "what changed",
        "old",
        "new",
        "guard's line",
        "compilations",
        "limit",
    )
    assert [tuple(r[k] for k in keys) for r in table_of(again, "recompiles")] == [
        (14, "0/0", "size 0 of x", "8", "9", 8, 2, 8),
        (15, "0/1", "x.size(0)", "2 <= x.size(0) <= 12", "16", 9, 3, 8),
        (16, "0/1", "dtype of x", "Float", "Double", 8, 4, 8),
        (18, "0/1", "whether gradients are recorded", "True", "False", None, 5, 8),
        (20, "0/1", "SCALE", "3", "4", 8, 6, 8),
    ]
    found = entries(again, "recompile")
    assert [f.line for f in found] == [14, 15, 16, 18, 20]
    assert all(f.compile_ms for f in found)
    assert "of 5 versions, 0/1 is the nearest" in found[-1].why
    versions = re.findall(r"^0/\d(?=: )", found[-1].raw, re.MULTILINE)
    assert versions == ["0/4", "0/3", "0/2", "0/1", "0/0"]


def test_versions_are_named_as_their_stages_are_whatever_was_compiled_before() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x):
            y = x * x.sum().item()
            return y + 1

        f(torch.ones(4))
        f(torch.ones(5))
        """)
    rows = table_of(program, "recompiles")
    assert [(r["function"], r["version"], r["guard's line"]) for r in rows] == [
        ("f", "0/0", 6),
        ("the rest of f from line 6", "1/0", 6),
    ]
    raw = [f.raw.partition(": ")[0] for f in entries(program, "recompile")]
    assert raw == ["0/0", "1/0"]


def test_what_became_a_symbol_has_its_range_and_who_narrowed_it(again) -> None:
    first = table_of(again, "symbolic sizes")[0]
    assert (first["source"], first["hint"], first["from"], first["to"]) == (
        "x.size(0)",
        "9",
        "2",
        "12",
    )
    assert first["varies because"] == "an earlier call brought another number"
    assert "if x.shape[0] > 12" in first["narrowed by"] and first["line"] == 9


def test_what_is_fixed_still_is_told_with_its_line(again) -> None:
    found = {f.what: f.line for f in entries(again, "specialised")}
    assert [f.compile_ms is not None for f in entries(again, "specialised")] == [True, False]
    assert found == {"compiled for SCALE == 4 alone": 8, "compiled for n == 2 alone": 8}


def test_a_number_that_a_module_holds_is_to_be_a_buffer_and_none_is_passed() -> None:
    program = seen("""
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 7

            def forward(self, x):
                return x * self.calls

        torch.compile(Net())(torch.ones(3, 4))
        """)
    (kept,) = [f for f in entries(program, "specialised") if "calls" in f.what]
    assert kept.what == "compiled for self.calls == 7 alone" and "register_buffer" in kept.remedy


def test_a_setting_that_changes_has_its_values_and_what_to_do() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x):
            return x.sin() + 1

        x = torch.ones(4)
        f(x)
        torch.set_default_dtype(torch.float64)
        f(x)
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(True)
        with torch.autocast("cpu"):
            f(x)
        torch.use_deterministic_algorithms(False)
        torch.set_float32_matmul_precision("high")
        f(x)
        torch.set_float32_matmul_precision("highest")
        """)
    found = entries(program, "recompile")
    assert [(f.line, f.what) for f in found] == [
        (11, "f is compiled again: the default dtype was float32 and is float64"),
        (
            15,
            "f is compiled again: autocast on cpu was off and is on; whether deterministic "
            "algorithms are asked for was False and is True",
        ),
        (18, "f is compiled again: whether float32 products may be in TF32 was False and is True"),
    ]
    assert "torch.set_default_dtype once" in found[0].remedy
    assert "torch.use_deterministic_algorithms once" in found[1].remedy
    assert "torch.autocast" in found[1].remedy and "matmul_precision once" in found[2].remedy
    states = [r for r in table_of(program, "guards of f [0/1]") if r["kind"] == "state"]
    values = {r["condition"]: r["value"] for r in states}
    assert values["the default dtype is float64"] == "float64"
    assert values["whether gradients are recorded is True"] == "True"


def test_what_was_compiled_for_the_capture_is_no_version_of_a_function() -> None:
    """The lambda is called by Python, at the break, both times under the same settings."""
    program = seen("""
        import torch

        @torch.compile
        def f(x):
            best = max([x, x + 1], key=lambda p: p.sum())
            return best * 2

        f(torch.ones(4))
        """)
    assert not entries(program, "recompile") and not table_of(program, "recompiles")
    (broken,) = entries(program, "graph break")
    assert broken.line == 6 and broken.what.startswith("the builtin max() is given arguments")
    assert "a function of torch" in broken.remedy


def test_the_order_and_the_number_of_a_dicts_items_are_guarded() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(given):
            total = 0
            for name, value in given.items():
                total = total * 0.5 + value
            return total

        a, b = torch.ones(4), torch.zeros(4)
        f({"a": a, "b": b})
        f({"b": b, "a": a})
        f({"a": a, "b": b, "c": a})
        """)
    found = entries(program, "recompile")
    assert [f.line for f in found] == [13, 14]
    assert found[1].what == "f is compiled again: len(given) was 2 and is 3"
    assert found[0].what == "f is compiled again: key 0 of given was 'a' and is 'b'"
    assert "mark_dynamic" not in found[1].remedy and "as many items" in found[1].remedy


def test_numbers_that_a_list_holds_are_one_entry() -> None:
    program = seen("""
        import torch

        RATES = [0.5, 0.25, 0.125]

        @torch.compile
        def f(x):
            for rate in RATES:
                x = x * rate
            return x

        f(torch.ones(4))
        """)
    (rates,) = [f for f in entries(program, "specialised") if "RATES" in f.what]
    assert rates.what == "compiled for RATES[0] == 0.5 and 2 more items of it alone"
    assert rates.raw.count("RATES[") == 3


def test_a_marked_size_that_has_to_be_a_multiple_is_told_at_the_line_that_asks() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x):
            if x.shape[0] % 4 == 0:
                x = x.reshape(x.shape[0] // 4, 4, -1).mean(1)
            return x.sin()

        x = torch.ones(32, 8)
        torch._dynamo.mark_dynamic(x, 0, min=8, max=512)
        f(x)
        """)
    (found,) = entries(program, "failed")
    assert found.line == 6 and found.category == "ConstraintViolationError"
    assert found.why.startswith(
        "not every value of x.size(0) (8 <= x.size(0) <= 512) fulfils (x.size(0) % 4) == 0"
    )


def test_over_the_limit_a_function_is_left_to_python() -> None:
    program = seen("""
        import torch

        @torch.compile(dynamic=False, recompile_limit=2)
        def f(x):
            return x + 1

        f(torch.ones(2))
        f(torch.ones(3))
        f(torch.ones(4))
        """)
    last = entries(program, "recompile")[-1]
    assert last.line == 10 and last.what.startswith("f is left to Python")
    (sizes,) = entries(program, "specialised")
    assert sizes.why == "with dynamic=False every call with other sizes is compiled again"


def test_over_the_limit_with_fullgraph_torch_compile_raises() -> None:
    program = seen("""
        import torch

        @torch.compile(fullgraph=True, dynamic=False, recompile_limit=2)
        def f(x):
            return x + 1

        for n in range(2, 6):
            f(torch.ones(n))
        """)
    (found,) = entries(program, "failed")
    assert found.category == "FailOnRecompileLimitHit" and "fullgraph=True" in found.why
    assert len(entries(program, "recompile")) >= 1


def test_marks_and_checks_are_seen_in_effect() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x, y):
            torch._check(x.shape[0] < 100)
            return x * 2, y + 1

        x, y = torch.ones(8, 4), torch.ones(6)
        torch._dynamo.mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(y, 0)
        f(x, y)
        """)
    rows = [
        (r["source"], r["to"], r["varies because"], r["line"])
        for r in table_of(program, "symbolic sizes")
    ]
    assert rows == [
        ("x.size(0)", "99", "mark_dynamic", 6),
        ("y.size(0)", "", "maybe_mark_dynamic", None),
    ]


def test_a_mark_holds_that_torch_export_takes_away() -> None:
    program = seen("""
        import torch
        from torch.export import Dim, export

        class Net(torch.nn.Module):
            def forward(self, x):
                return x * 2

        x = torch.ones(8, 4)
        torch._dynamo.mark_dynamic(x, 0)
        export(Net(), (x,), dynamic_shapes={"x": {0: Dim("batch")}})
        """)
    (row,) = table_of(program, "symbolic sizes")
    assert (row["source"], row["varies because"]) == ("x.size(0)", "mark_dynamic")


def test_a_mark_that_the_program_does_not_keep_is_told_with_its_line() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x):
            return x + torch.ones(8, 4)

        x = torch.ones(8, 4)
        torch._dynamo.mark_dynamic(x, 0)
        f(x)
        """)
    (found,) = entries(program, "failed")
    assert (found.kind, found.line, found.category) == ("failed", 6, "ConstraintViolationError")
    assert "x.size(0)" in found.why


def test_the_guard_that_is_named_is_of_the_version_that_all_but_serves_the_call() -> None:
    program = seen("""
        import torch

        @torch.compile(dynamic=False)
        def f(x, n):
            return x * n

        f(torch.ones(4), 1)
        f(torch.ones(5, dtype=torch.float64), 7)
        f(torch.ones(4), 2)
        """)
    (_, row) = table_of(program, "recompiles")
    assert (row["version"], row["what changed"], row["old"], row["new"]) == ("0/0", "n", "1", "2")


def test_a_call_left_to_python_is_no_recompilation_and_calls_not_repeated_are_counted() -> None:
    program = seen("""
        import torch

        @torch.compile(dynamic=False)
        def f(x, mode):
            return torch.relu(x) * len(mode)

        for i in range(13):
            f(torch.ones(8, 8), "abcdefghijklm"[i])
    """)
    (stage,) = [s for s in stages_of(program, "dynamo") if s.name == "recompiles"]
    assert stage.summary == (
        "10 different calls, 7 recompilations, 1 function left to Python; the limit is 8; "
        "3 later calls that differ are not repeated"
    )
    last = entries(program, "recompile")[-1]
    assert "3 of them in line 9," in last.what and last.remedy and last.count == 3


def test_a_condition_on_a_size_says_what_it_was() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x):
            return x.sin()

        x = torch.ones(5, 8)
        torch._dynamo.mark_dynamic(x, 0, min=2, max=100)
        f(x)
    """)
    rows = table_of(program, "guards of f [0/0]")
    told = [(r["condition"], r["value"]) for r in rows if r["kind"] == "sizes"]
    assert told == [("2 <= x.size(0) <= 100", "5")]


def test_a_module_of_torchs_own_is_compiled_again_as_the_snippets_are() -> None:
    program = seen("""
        import torch

        net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.ReLU())
        fast = torch.compile(net)
        for n in (8, 16, 24):
            fast(torch.ones(n, 16))
        """)
    (found,) = entries(program, "recompile")
    assert found.what == "Sequential is compiled again: size 0 of args[0] was 8 and is 16"
    assert (found.line, found.category) == (7, "size")
    assert "Sequential [0/1]" in [s.name for s in stages_of(program, "dynamo")]
