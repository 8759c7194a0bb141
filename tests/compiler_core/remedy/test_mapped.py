"""A loop over rows, or along another dimension, is mapped."""

import textwrap

import pytest

from compiler_core.remedy.change import Refused
from tests.compiler_core.remedy.remedying import TORCH, asked


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
