"""Each remedy as a change of a snippet's text: what it writes, and what it leaves alone."""

import textwrap

import pytest

from compiler_core.remedy import table
from compiler_core.remedy.change import Changed, Refused, RemedyRequest
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding

TORCH = "import torch\n"
JAX = "import jax\nimport jax.numpy as jnp\n"


def asked(
    source, kind, line=None, category="", framework=None, name="f", program=None, lists=(),
    *, column=None,
):  # fmt: skip
    """The entry of a kind at the line that ends with `# here`, or at the one given."""
    lines = source.splitlines()
    here = next((n for n, text in enumerate(lines, 1) if text.endswith("# here")), line)
    finding = Finding(kind, "dynamo", "it", line=here, column=column, category=category)
    own = framework or ("jax" if "import jax" in source else "torch")
    return remedied(
        RemedyRequest(Text.parse(source), finding, own, name, program, frozenset(lists))
    )


def changed(head, body, kind, **more):
    """The changed text of `body` behind the imports of `head`."""
    found = asked(head + textwrap.dedent(body), kind, **more)
    assert isinstance(found, Changed), found
    return found.source.removeprefix(head)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s = x.sum().item()  # here", "s = x.sum()  # here"),
        ("s = float(x.sum()) * 2  # here", "s = x.sum() * 2  # here"),
        ("s = float(x.sum().item())  # here", "s = x.sum()  # here"),
        ("s = int(a + b)  # here", "s = (a + b)  # here"),
        ("é = 'ü', x.max().item()  # here", "é = 'ü', x.max()  # here"),
    ],
)
def test_a_number_stays_a_tensor(before, after):
    body = "def f(x):\n    {}\n    return x\n"
    assert changed(TORCH, body.format(before), "graph break") == body.format(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = (x * 2).cpu()  # here", "y = (x * 2)  # here"),
        ("y = x.relu().cpu() + 1  # here", "y = x.relu() + 1  # here"),
        ("y = ((x + 1).cpu() * 2).cpu()  # here", "y = ((x + 1) * 2)  # here"),
        ("y = (\n        x * 2\n    ).cpu()  # here", "y = (x * 2)  # here"),
        ("y = (x + 1).numpy()  # here", "y = (x + 1)  # here"),
        (
            "y = np.exp((x + 1).detach().cpu().numpy())  # here",
            "y = torch.exp((x + 1))  # here",
        ),
        ("y = torch.from_numpy(np.abs(x.numpy()) + 1) * 2  # here",
         "y = (torch.abs(x) + 1) * 2  # here"),
    ],
)  # fmt: skip
def test_parentheses_around_what_is_moved_stay(before, after):
    head = "import numpy as np\nimport torch\n"
    body = "def f(x):\n    {}\n    return x\n"
    assert changed(head, body.format(before), "graph break") == body.format(after)


def test_a_number_that_is_named_on_a_later_line():
    body = "def f(x):\n    s = (\n        x.sum()\n    ).item()  # here\n    return x * s\n"
    after = "def f(x):\n    s = x.sum()  # here\n    return x * s\n"
    assert changed(TORCH, body, "graph break") == after


def test_what_would_be_no_python_is_not_tried(monkeypatch):
    broken = {"graph break": (lambda request: Changed("y = (x", "something is left out"),)}
    monkeypatch.setitem(table._TABLES, "torch", broken)
    found = asked("import torch\nx = 1  # here\n", "graph break")
    assert isinstance(found, Refused) and "no Python" in found.reason


def test_a_number_that_is_returned_is_left():
    found = asked("import torch\ndef f(x):\n    return x.sum().item()  # here\n", "graph break")
    assert isinstance(found, Refused) and "caller is given a number" in found.reason


def test_print_is_for_who_does_not_compile_and_comments_stay():
    before = 'def f(x):\n    y = x * 2  # twice\n    print("mean",\n          y)\n    return y\n'
    after = (
        "def f(x):\n    y = x * 2  # twice\n    if not torch.compiler.is_compiling():\n"
        '        print("mean",\n          y)\n    return y\n'
    )
    assert changed(TORCH, before, "graph break", line=4) == after


def test_a_print_behind_something_on_its_line_stays_there():
    body = "def f(x):\n    y = x * 2; {}print(y)  # here\n    return y\n"
    after = body.format("torch.compiler.is_compiling() or ")
    assert changed(TORCH, body.format(""), "graph break") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "if x.sum() > 0:  # here\n    y = x * 2\nelse:\n    y = x - 1\n",
            "y = torch.where(x.sum() > 0, x * 2, x - 1)\n",
        ),
        (
            "if x.sum().item() > 0:  # here\n    x += 1\n",
            "x = torch.where(x.sum() > 0, x + 1, x)\n",
        ),
        (
            "if not (x > 0).all():  # here\n    y, = 1,\n",
            None,
        ),
        (
            "if not (x > 0).all():  # here\n    x = -x\n",
            "x = torch.where((x > 0).all(), x, -x)\n",
        ),
        (
            "if x.sum() > 0:  # here\n    return x\nreturn -x\n",
            "return torch.where(x.sum() > 0, x, -x)\n",
        ),
        (
            "y = x if x.sum() > 0 else -x  # here\n",
            "y = torch.where(x.sum() > 0, x, -x)  # here\n",
        ),
        ("if x.sum() > 0 and x.min() < 1:  # here\n    x = -x\n", None),
        ("if x.sum() > 0:  # here\n    a = x + 1\n    b = a * 2\n", None),
        ("if x.sum() > 0:  # here\n    x.add_(1)\n", None),
        # Another condition, whichever of the two it is asked for.
        (
            "if a > 0:\n    y = x\nelif b > 0:  # here\n    y = -x\nelse:\n    y = x + 1\n",
            "y = torch.where(a > 0, x, torch.where(b > 0, -x, x + 1))\n",
        ),
        (
            "if a > 0:  # here\n    y = x\nelse:\n    if b > 0:\n        z = -x\n",
            "y = torch.where(a > 0, x, y)\nz = torch.where(a > 0, z, torch.where(b > 0, -x, z))\n",
        ),
        # The second value would be chosen by what the first has become.
        ("if x.sum() > 0:  # here\n    x = x - 9\n    y = 2\nelse:\n    y = 1\n", None),
        ("if a > 0:  # here\n    return x\ny = 1\n", None),
        ("if a > 0:  # here\n    y = 1, 2\nelse:\n    y = 2, 1\n", None),
    ],
)
def test_an_if_becomes_where(before, after):
    head = TORCH + "def f(x):\n"
    found = asked(head + textwrap.indent(before, "    "), "graph break")
    if after is None:
        assert isinstance(found, Refused)
    else:
        assert found.source == head + textwrap.indent(after, "    ")


def test_of_jax_it_is_jax_numpys():
    before = "def f(x):\n    if x.sum() > 0:  # here\n        x = -x\n    return x\n"
    after = "def f(x):\n    x = jnp.where(x.sum() > 0, -x, x)\n    return x\n"
    assert changed(JAX, before, "failed") == after


def test_what_is_not_imported_is():
    source = "from torch import nn\ndef f(x):\n    return x if x.sum() > 0 else -x  # here\n"
    found = asked(source, "graph break", framework="torch")
    assert found.source.startswith("import torch\nfrom torch import nn\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            """
            out = []
            for row in x:  # here
                out.append(torch.tanh(row * w).sum())
            return torch.stack(out)
            """,
            """
            out = torch.vmap(lambda row: torch.tanh(row * w).sum())(x)
            return out
            """,
        ),
        (
            """
            out = []
            for i in range(x.shape[0]):  # here
                y = x[i] * w
                out.append(y / y.sum())
            return torch.stack(out, dim=0)
            """,
            """
            def each_row(x_i):
                y = x_i * w
                return y / y.sum()

            out = torch.vmap(each_row)(x)
            return out
            """,
        ),
        (
            "return torch.stack([x[i] + y[i] for i in range(4)])  # here\n",
            "return torch.vmap(lambda x_i, y_i: x_i + y_i)(x[:4], y[:4])  # here\n",
        ),
        (
            "rows = [a * b for a, b in zip(x, y)]  # here\nreturn torch.stack(rows) * 2\n",
            "rows = torch.vmap(lambda a, b: a * b)(x, y)  # here\nreturn rows * 2\n",
        ),
        # One turn reads what the one before has left.
        ("for row in x:  # here\n    h = h + row\n    out.append(h)\n", None),
        # The list is read otherwise.
        ("rows = [a * 2 for a in x]  # here\nreturn torch.stack(rows), rows[0]\n", None),
        # The number is more than a place.
        ("return torch.stack([x[i] * i for i in range(4)])  # here\n", None),
        # The list is begun with something else.
        (
            "out = []\nout.append(h)\nfor row in x:  # here\n    out.append(row * 2)\n"
            "return torch.stack(out)\n",
            None,
        ),
        # A row is made of the one before, by a name of the body.
        (
            "out = []\nfor row in x:  # here\n    y = out[-1] + row\n    out.append(y)\n"
            "return torch.stack(out)\n",
            None,
        ),
        # The body writes to a tensor.
        (
            "out = []\nfor i in range(4):  # here\n    x[i] = h\n    out.append(x[i] * 2)\n"
            "return torch.stack(out)\n",
            None,
        ),
    ],
)
def test_a_loop_over_rows_is_mapped(before, after):
    _check_mapped(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "return torch.stack([torch.tanh(x[:, t]) for t in range(x.shape[1])], dim=1)  # here\n",
            "return torch.vmap(lambda x_t: torch.tanh(x_t), in_dims=1, out_dims=1)(x)  # here\n",
        ),
        (
            """
            out = []
            for t in range(6):  # here
                out.append(x[..., t] * w[t])
            return torch.stack(out, -1)
            """,
            """
            out = VMAP(x[..., :6], w[:6])
            return out
            """.replace(
                "VMAP", "torch.vmap(lambda x_t, w_t: x_t * w_t, in_dims=(-1, 0), out_dims=-1)"
            ),
        ),
        # One tensor is read along two dimensions.
        ("return torch.stack([x[t] * x[:, t] for t in range(4)])  # here\n", None),
        # Something else is indexed as well.
        ("return torch.stack([x[0, t] for t in range(4)])  # here\n", None),
    ],
)
def test_a_loop_over_another_dimension_is_mapped(before, after):
    _check_mapped(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            """
            out = torch.empty_like(x)
            for i in range(x.shape[0]):  # here
                out[i] = torch.softmax(x[i], -1) * w
            return out + 1
            """,
            """
            out = torch.vmap(lambda x_i: torch.softmax(x_i, -1) * w)(x)
            return out + 1
            """,
        ),
        (
            """
            out = x.new_zeros(x.shape)
            for i, row in enumerate(x):  # here
                z = row * y[i]
                out[:, i] = z / z.sum()
            return out
            """,
            """
            def each_row(row, y_i):
                z = row * y_i
                return z / z.sum()

            out = torch.vmap(each_row, out_dims=1)(x, y[:len(x)])
            return out
            """,
        ),
        # What is filled has come with values.
        ("for i in range(4):  # here\n    out[i] = x[i] * 2\nreturn out\n", None),
        # A row is read that another turn has written.
        (
            "out = torch.zeros(5)\nfor i in range(4):  # here\n    out[i] = out[i - 1] + x[i]\n",
            None,
        ),
    ],
)
def test_a_loop_that_fills_a_new_tensor_is_mapped(before, after):
    _check_mapped(before, after)


def test_a_list_of_tensors_is_stacked_before_it_is_mapped():
    before = "return torch.stack([torch.tanh(row) * a for row, a in zip(h, w)])  # here\n"
    after = "return torch.vmap(lambda row, a: torch.tanh(row) * a)(torch.stack(h), w)  # here\n"
    _check_mapped(before, after, lists=["h"])


def _check_mapped(before, after, **more):
    def body(text):
        return textwrap.indent(textwrap.dedent(text).lstrip("\n"), "    ")

    head = TORCH + "def f(x, y, w, h, out):\n"
    found = asked(head + body(before), "unrolled", **more)
    if after is None:
        assert isinstance(found, Refused)
    else:
        assert found.source == head + body(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@torch.compile\ndef f(x):\n    return x\n", "@torch.compile(dynamic=True)"),
        (
            "@torch.compile(fullgraph=True)\ndef f(x):\n    return x\n",
            "@torch.compile(fullgraph=True, dynamic=True)",
        ),
        ("g = torch.compile(f, dynamic=False)\n", "g = torch.compile(f, dynamic=True)"),
        ("g = torch.compile(f)\nh = torch.compile(k)\n", "g = torch.compile(f, dynamic=True)"),
        ("model.compile()\n", "model.compile(dynamic=True)"),
        ("model.compile(mode=m)\n", "model.compile(mode=m, dynamic=True)"),
    ],
)
def test_torch_compile_is_told_that_sizes_vary(before, after):
    line = 3 if before.startswith("@") else None
    text = changed(TORCH, before, "recompile", category="size", program=line)
    assert text.splitlines()[0] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("@partial(jax.jit, static_argnames='n')", "@jax.jit"),
        ("@partial(jax.jit, static_argnums=1, donate_argnums=0)",
         "@partial(jax.jit, donate_argnums=0)"),
    ],
)  # fmt: skip
def test_a_static_argument_is_traced(before, after):
    head = JAX + "from functools import partial\n"
    body = f"{before}\ndef f(x, n):\n    return x * n\n"
    text = changed(head, body, "traced again", program=5)
    assert text.splitlines()[0] == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.sort(x.numpy(), axis=0)", "torch.sort(x, dim=0).values"),
        ("np.max(x.numpy(), 1)", "torch.amax(x, 1)"),
    ],
)
def test_what_torch_calls_otherwise_gives_the_same(before, after):
    head = TORCH + "import numpy as np\n"
    body = "def f(x):\n    return torch.from_numpy({})  # here\n"
    new = changed(head, body.format(before), "host sync")
    assert new == f"def f(x):\n    return {after}  # here\n"


def test_numpy_in_the_middle_is_torchs():
    head = TORCH + "import numpy as np\n"
    before = (
        "def f(x):\n    y = np.sum(np.tanh(x.detach().cpu().numpy()), axis=-1)  # here\n"
        "    return torch.from_numpy(y) * 2\n"
    )
    after = "def f(x):\n    y = torch.sum(torch.tanh(x), dim=-1)  # here\n    return y * 2\n"
    assert changed(head, before, "graph break") == after


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("y = np.sqrt(x.numpy()) if flag else x", "x.numpy", "y = torch.sqrt(x) if flag else x"),
        ("y = x if flag else x / x.max().item()", "x.max", "y = x if flag else x / x.max()"),
        ("if flag: x = x / x.max().item()", "x.max", "if flag: x = x / x.max()"),
        ("y = x if x.sum() > 0 else -x", "x.sum", "y = torch.where(x.sum() > 0, x, -x)"),
    ],
)
def test_of_a_choice_what_the_entry_is_of_is_changed(before, at, after):
    head, line = TORCH + "import numpy as np\n", f"    {before}  # here\n"
    body = f"def f(x, flag):\n{line}    return x\n"
    new = changed(head, body, "host sync", column=line.index(at))
    assert new == body.replace(before, after)


def test_what_torch_has_no_function_of_is_said():
    source = (
        "import torch\nimport numpy as np\ndef f(x):\n    return np.unwrap(x.numpy())  # here\n"
    )
    found = asked(source, "graph break")
    assert isinstance(found, Refused) and "unwrap" in found.reason


@pytest.mark.parametrize("call", [".cpu()", '.to("cpu")', '.to(device="cpu")'])
def test_a_tensor_stays_on_its_device(call):
    body = f"def f(x):\n    return x - x.mean(){call}.to(x.device)  # here\n"
    assert changed(TORCH, body, "host sync") == body.replace(call, "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("jax.pure_callback(np.tanh, x, x)", "jnp.tanh(x)"),
        ("jax.pure_callback(lambda a: np.sin(a) + 1, x, x)", "(lambda a: jnp.sin(a) + 1)(x)"),
    ],
)
def test_a_callback_is_computed_by_jax(before, after):
    head = JAX + "import numpy as np\n"
    body = "def f(x):\n    return {} * 2  # here\n"
    assert changed(head, body.format(before), "host sync") == body.format(after)


def test_a_callbacks_own_function_is_written_with_jax():
    head = JAX + "import numpy as np\n"
    before = (
        "def h(a):\n    return np.sin(a)\n\n"
        "def f(x):\n    return jax.pure_callback(h, x, x)  # here\n"
    )
    after = "def h(a):\n    return jnp.sin(a)\n\ndef f(x):\n    return h(x)  # here\n"
    assert changed(head, before, "host sync") == after


def test_of_an_entry_that_nobody_knows_a_remedy_of_there_is_none():
    assert asked("import torch\ndef f(x):\n    return x  # here\n", "graph break") is None
    assert asked("import torch\ndef f(x):\n    return x  # here\n", "not fused") is None


WHILE = """\
def f(x):
    y = torch.ones_like(x)
    while (y * y - x).abs().max() > 1e-4:  # here
        old = y  # the value before
        y = 0.5 * (old + x / old)
    return y
"""


def test_a_while_becomes_the_loop_of_torch():
    assert (
        changed(TORCH, WHILE, "graph break")
        == """\
def f(x):
    y = torch.ones_like(x)
    def goes_on(y):
        return (y * y - x).abs().max() > 1e-4
    def turn(y):  # here
        old = y  # the value before
        y = 0.5 * (old + x / old)
        return (y,)
    (y,) = torch.while_loop(goes_on, turn, (y,))
    return y
"""
    )


def test_a_while_becomes_the_loop_of_jax_whose_turns_change_nothing_in_place():
    body = """\
    def f(x):
        turn, n = 1.0, 0
        while (not jnp.all(x < 1)):  # here
            x /= turn + 1; n += 1
        return x, n
    """
    assert (
        changed(JAX, body, "failed")
        == """\
def f(x):
    turn, n = 1.0, 0
    def goes_on(x, n):
        return jnp.logical_not(jnp.all(x < 1))
    def turn_(x, n):  # here
        x = x / (turn + 1); n = n + 1
        return (x, n)
    (x, n) = jax.lax.while_loop({}, {}, (x, n))
    return x, n
""".format("lambda values: goes_on(*values)", "lambda values: turn_(*values)")
    )


def test_one_value_that_goes_from_turn_to_turn_is_no_tuple_in_jax():
    body = "def f(x):\n    while x.max() > 1:  # here\n        x = x / 2\n    return x\n"
    assert changed(JAX, body, "failed").splitlines()[3:] == [
        "    def turn(x):  # here",
        "        x = x / 2",
        "        return x",
        "    x = jax.lax.while_loop(goes_on, turn, x)",
        "    return x",
    ]


@pytest.mark.parametrize(
    ("test", "body", "reason"),
    [
        ("x.sum() > 1", "x = x / 2\n        if x.max() > 3:\n            break", "does more than"),
        ("x.sum() > 1", "x[0] = 1", "does more than give names values: x[0] = 1"),
        ("x.sum() > 1 and x.max() > 0", "x = x / 2", "write it with & first"),
        ("x.sum() > 1", "z = x / 2\n        x = z", "z is read after the loop"),
        ("x.sum() > 1", "w = x / 2", "gives no name another value"),
    ],
)
def test_a_while_that_is_no_such_loop_is_left_with_the_reason(test, body, reason):
    source = f"{TORCH}def f(x):\n    while {test}:  # here\n        {body}\n    return x + z\n"
    found = asked(source, "graph break")
    assert isinstance(found, Refused) and reason in found.reason
