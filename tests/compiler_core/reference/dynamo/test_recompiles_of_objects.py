"""What objects hold, and which object it is, changes between a snippet's calls."""

import pytest

from tests.compiler_core.reference.dynamo.calls_again import entries, seen, table_of

pytestmark = pytest.mark.cpu


def test_an_object_a_type_and_a_choice_that_change_are_told_by_name() -> None:
    program = seen("""
        import torch

        @torch.compile
        def f(x, act, k=1, mask=None, mode="a"):
            y = act(x) * k
            if mask is not None:
                y = y + mask
            return y + 1 if mode == "a" else y

        x = torch.ones(4, 4)
        f(x, torch.relu)
        f(x, torch.tanh)
        f(x, torch.tanh, 2.0)
        f(x, torch.tanh, 2)
        f(x, torch.tanh, 2.0, mask=x)
        f(x, torch.tanh, 2.0, mode="b")
        """)
    keys = ("what changed", "old", "new", "guard's line")
    assert [tuple(r[k] for k in keys) for r in table_of(program, "recompiles")] == [
        ("act", "relu", "tanh", 6),
        ("k", "1", "2.0", 6),
        ("the type of k", "float", "int", 6),
        ("mask", "None", "a float32 tensor of size [4, 4]", 7),
        ("mode", "'a'", "'b'", 9),
    ]
    found = entries(program, "recompile")
    assert [f.category for f in found] == ["object", "number", "type", "choice", "choice"]
    assert all(f.remedy for f in found)


def test_a_module_that_sets_an_attribute_has_guards_by_its_own_names_values_and_lines() -> None:
    program = seen("""
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(4, 4)
                self.drop = torch.nn.Dropout(0.5)
                self.calls = 0

            def forward(self, x):
                self.calls += 1
                h = self.fc(x)
                return self.drop(h)

        net = Net()
        f = torch.compile(net)
        f(torch.ones(4, 4))
        net.eval()
        f(torch.ones(4, 4))
        """)
    first = table_of(program, "guards of forward [0/0]")
    rows = {r["condition"]: (r["value"], r["line"]) for r in first}
    assert rows["self.drop.training == True"] == ("True", 14)
    assert rows["self.fc is of type torch.nn.modules.linear.Linear"][1] == 13
    assert not [text for text in rows if "']['" in text]
    assert {r["kind"] for r in first if r["line"] is None} == {"state"}


def test_what_was_compiled_for_an_object_that_is_gone_is_told() -> None:
    program = seen("""
        import torch

        @torch.compile
        def step(x, log):
            log.append(x.sum().item())
            return x + 1

        x, log = torch.ones(4), []
        for i in range(3):
            step(x + i, log)
        """)
    rows = [r for r in table_of(program, "recompiles") if "no more" in str(r["old"])]
    assert rows, table_of(program, "recompiles")
    assert [f.line for f in entries(program, "graph break")] == [6]


def test_a_number_that_an_object_holds_compiles_again_as_often_as_it_changes() -> None:
    program = seen("""
        import torch

        class Config:
            scale = 1.0

        cfg = Config()

        @torch.compile
        def f(x, cfg):
            return torch.tanh(x) * cfg.scale

        f(torch.ones(8), cfg)
        cfg.scale = 2.0
        f(torch.ones(8), cfg)
        f(torch.ones(8), cfg)
    """)
    (again,) = entries(program, "recompile")
    assert (again.line, again.what) == (15, "f is compiled again: cfg.scale was 1.0 and is 2.0")


@pytest.mark.parametrize(
    ("name", "log", "given"),
    [
        ("log", "log = []", "def f(x):"),
        ("log", "log = collections.deque()", "def f(x):"),
        ("history['loss']", 'history = {"loss": []}', "def f(x):"),
        ("log", "log = []", "def f(x, log=log):"),
    ],
    ids=["a list", "a deque", "a list in a dict", "a list by default"],
)
def test_a_list_that_grows_compiles_again_in_each_call(name: str, log: str, given: str) -> None:
    program = seen(f"""
        import collections
        import torch

        {log}

        @torch.compile
        {given}
            y = torch.relu(x)
            {name}.append(y)
            return y * 2

        for _ in range(3):
            f(torch.ones(8))
        print(len({name}))
    """)
    rows = table_of(program, "recompiles")
    assert [(r["call"], r["what changed"], r["old"], r["new"]) for r in rows] == [
        (2, f"len({name})", "0", "1"),
        (3, f"len({name})", "1", "2"),
    ]
    assert [(f.line, f.category) for f in entries(program, "recompile")] == [(14, "length")] * 2
    assert all("outside of what is compiled" in f.remedy for f in entries(program, "recompile"))
