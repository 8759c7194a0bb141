"""Graph breaks wherever Python allows one, and what is said of them."""

import pytest
from torch._dynamo import trace_rules

from compiler_core.capture import capture
from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.dynamo.breaks import explained, readable
from compiler_core.errors import REPORT_IT, CaptureError
from tests.compiler_core.capture.oracle import agrees
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def snippet(body: str) -> Captured:
    found = explore(f"import torch\ndef f(x):\n    {body}\n", inputs="f32[4,6]")
    return capture(found.programs[0])


@pytest.mark.parametrize(
    "body",
    [
        "return torch.cat([p.exp() if p.sum() > 0 else p.sin() for p in x.chunk(2)])",
        "return x * sum(float(p.sum()) for p in x.chunk(2))",
        "return {k: v + 1 for k, v in enumerate(x.unbind()) if v.sum() > 0}",
        "g = lambda y: y.exp() if y.sum() > 0 else y.sin()\n    return g(x + 1) * 2",
        "return sorted(x.unbind(), key=lambda y: float(y.sum()))[0] * 2",
    ],
)
def test_a_value_may_be_asked_for_in_a_comprehension_or_a_lambda(body):
    result = agrees(snippet(body))
    assert result.graph_breaks[0].line in (3, 4)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return x * float(x.sum())", "Python asks for the value of a tensor, and gets a number"),
        ("return x + torch.arange(x.abs().sum().long()).sum()", "value of a tensor"),
        ("return x + sum(x[0].tolist())", "gets a list"),
        ("return x * 2 if torch.equal(x, x.abs()) else x", "whether tensors are equal"),
        ("return x * 2 if torch.allclose(x, x.round()) else x", "whether tensors are equal"),
        (
            "import time\n    t = time.time() * float(x.sum())\n    return x * t * 0",
            "time.time() runs",
        ),
    ],
)
def test_a_reason_is_in_plain_words(body, said):
    reasons = [b.reason for b in snippet(body).graph_breaks]
    assert any(said in r for r in reasons) and not any("aten" in r for r in reasons)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            "Explanation: Dynamo does not support next() on list_iterator. "
            "Add tp_iternext_impl to this VariableTracker subclass.",
            "Python goes over an object of the type list_iterator, which TorchDynamo does not "
            "follow",
        ),
        (
            "Explanation: torch.compile does not support sparse Tensors with VariableTracker",
            "torch.compile does not support sparse Tensors",
        ),
        (
            "step_unsupported",
            "TorchDynamo ends the graph here: Python runs the rest of the function",
        ),
        ("comprehension_graph_break", "Python runs the comprehension"),
        (
            "Dynamo determined that a graph break should occur when calling `y.t_`. Reason: Getting"
            " an inplace view on a graph input is not supported",
            "y.t_() turns an input into another view of its memory, in place",
        ),
        (
            "Backend compiler exception\n  Explanation: Backend compiler `f` failed with "
            "aten._local_scalar_dense.default. Adding a graph break.",
            "Python asks for the value of a tensor, and gets a number",
        ),
        (
            "Backend compiler exception\n  Explanation: Backend compiler `f` failed with "
            "no more memory. Adding a graph break.",
            "the operations up to here are run by torch: no more memory",
        ),
        (
            "Module-level backwards hooks require compiled autograd.\n  Explanation: \n  Hint: Do.",
            "a module has a backward hook, which Python runs",
        ),
        ("Something is not supported.\n  Explanation: \n", "Something is not supported."),
        (
            "Failed to convert args/kwargs to proxy\n  Explanation: Missing `as_proxy()` "
            "implementation for some arg/kwarg.",
            "an operation of torch is given something that no graph holds",
        ),
        (
            "nb_float_impl not implemented\n  Explanation: The type Fraction has an nb_float C "
            "slot but the corresponding VariableTracker doesn't implement nb_float_impl.",
            "Python computes with an object of the type Fraction, which no graph holds",
        ),
        (
            "Reconstruction failure\n  Explanation: Dynamo has no bytecode reconstruction "
            "implemented for sourceless variable X().",
            "an object that the program makes is wanted behind a graph, and TorchDynamo cannot "
            "make it again there",
        ),
    ],
)
def test_no_name_that_only_dynamo_has_is_a_reason(reason, words):
    assert explained(reason).why == words


@pytest.fixture
def rules():
    """What Dynamo is told of single functions lasts as long as the process."""
    names = "_disallowed_callable_ids", "_allowed_callable_ids"
    sets = [getattr(trace_rules, name)() for name in names]
    before = [set(each) for each in sets]
    yield
    for each, was in zip(sets, before, strict=True):
        each.clear()
        each |= was


@pytest.mark.filterwarnings("ignore:Dynamo does not know how to trace the builtin")
@pytest.mark.usefixtures("rules")
def test_a_function_that_is_disallowed_runs_between_graphs():
    source = """
        import torch
        torch._dynamo.disallow_in_graph(torch.sinh)
        def f(x):
            return torch.sinh(x + 1) * 2
        """
    result = agrees(capture(explore(source, inputs="f32[4,6]").programs[0]))
    assert [g.role for g in result.graphs] == ["piece", "piece"]


@pytest.mark.usefixtures("rules")
def test_a_function_that_is_allowed_is_one_graph_with_its_caller():
    source = """
        import torch
        @torch._dynamo.allow_in_graph
        def own(x):
            return x.sinh()
        def f(x):
            return own(x + 1) * 2
        """
    assert len(agrees(capture(explore(source, inputs="f32[4,6]").programs[-1])).graphs) == 1


def test_a_function_that_is_skipped_runs_between_graphs():
    source = """
        import torch
        @torch._dynamo.decorators.skip
        def own(x):
            return x.sinh()
        def f(x):
            return own(x + 1) * 2
        """
    result = agrees(capture(explore(source, inputs="f32[4,6]").programs[-1]))
    assert len(result.graphs) == 2 and result.graph_breaks


def test_an_exception_of_our_own_is_not_blamed_on_dynamo(monkeypatch):
    monkeypatch.setattr("compiler_core.capture.torch.dynamo.private.part_of", None)
    with pytest.raises(CaptureError) as error:
        snippet("return x * 2 if x.sum() > 0 else x")
    assert error.value.remedy == REPORT_IT and error.value.line == 2
    assert error.value.message == (
        "the graphs of TorchDynamo were not recorded: TypeError: 'NoneType' object is not callable"
    )


class Thing:
    def method(self) -> None: ...


def inner():
    return lambda: 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (inner, "inner"),
        (inner(), "inner.<lambda>"),
        (Thing().method, "Thing.method"),
        (Thing(), f"{__name__}.Thing"),
        (Thing, f"{__name__}.Thing"),
        (print, "print"),
    ],
)
def test_what_dynamo_shows_with_an_address_is_named(value, text):
    assert readable(f"cannot call {value} here") == f"cannot call {text} here"


DISABLED = """
    import torch
    plain = torch.compiler.disable({what})

    def f(x):
        return plain(x + 1) * 2
"""


@pytest.mark.parametrize(
    "what", ["torch.nn.Linear(6, 6)", "lambda x: x.sin()", "recursive=False)(lambda x: x.sin()"]
)
def test_what_the_snippet_disables_is_pythons_also_where_all_would_be_one_graph(what):
    found = explore(DISABLED.format(what=what), inputs="f32[4,6]")
    result = agrees(capture(found.programs[0]))
    assert [n.op for n in result.nodes] == ["aten.add.Tensor", "aten.mul.Tensor"]
    (broken,) = result.graph_breaks
    assert broken.line == 6
    assert broken.reason.endswith(" is marked with torch.compiler.disable: Python runs it")


def test_a_break_that_the_snippet_asks_for_ends_a_graph():
    result = agrees(snippet("y = x + 1\n    torch._dynamo.graph_break()\n    return y * 2"))
    (broken,) = result.graph_breaks
    assert (broken.line, broken.reason) == (4, "the snippet asks for a graph break here")
    assert len(result.graphs) == 2


def test_an_optimizer_that_dynamo_does_not_follow_runs_in_python_and_from_one_state():
    """LBFGS keeps lists of tensors and counts its steps."""
    result = agrees(
        capture(
            explore(
                """
    import torch
    w = torch.linspace(-1, 1, 6, requires_grad=True)
    opt = torch.optim.LBFGS([w], max_iter=3)
    def step(x):
        def closure():
            opt.zero_grad()
            loss = ((x @ w - 1) ** 2).mean()
            loss.backward()
            return loss
        return opt.step(closure)
    """,
                inputs="f32[4,6]",
            ).programs[0]
        )
    )
    assert [b.reason for b in result.graph_breaks] == [
        "LBFGS.step() is marked with torch.compiler.disable: Python runs it"
    ]


PENALTY = """
    import torch
    critic = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))

    def scaled(x):
        return (x * 2).tanh()

    def step(x):
        with torch.no_grad():
            x = scaled(x)
        x = x.clone().requires_grad_()
        y = critic(x)
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        loss = y.mean() + ((g.norm(dim=1) - 1) ** 2).mean()
        loss.backward()
        if loss > 1e6:
            loss = loss * 0
        return loss.detach()
"""


def test_the_gradient_of_a_gradient_between_graphs_is_torchs_and_the_rest_is_compiled():
    (found,) = [p for p in explore(PENALTY, inputs="step(f32[4,6])").programs if p.name == "step"]
    result = agrees(capture(found))
    (reason,) = [b for b in result.graph_breaks if "the gradient of a gradient" in b.reason]
    assert reason.line == 15 and "torch.func.grad" in reason.reason
    assert "no single graph" in reason.reason
    assert {"aten.tanh"} <= {n.op for n in result.nodes} and result.outside.launches > 10


RESIDUAL = """
    import torch
    net = torch.nn.Sequential(torch.nn.Linear(2, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))

    def residual(x, t):
        u = net(torch.cat([x, t], dim=1))
        u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        if u_t.sum() > 1e6:
            return u
        u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
        return u_t + u * u_x - u_xx

    x, t = torch.rand(6, 1, requires_grad=True), torch.rand(6, 1, requires_grad=True)
    residual(x, t).pow(2).mean().backward()
"""


def test_gradients_by_several_inputs_and_the_gradient_of_one_of_them_are_torchs():
    """AOTAutograd writes to what it is given there, before it says what it does not do."""
    (found,) = explore(RESIDUAL).programs
    result = agrees(capture(found))
    assert any("the gradient of a gradient" in b.reason for b in result.graph_breaks)


def test_a_reason_is_no_sentence_that_says_nothing():
    nothing = "\n  Explanation: Dynamo does not support this.\n"
    assert explained("Unsupported thing" + nothing).why == "Unsupported thing"
    made = "Attempted to use `torch.nn.Parameter()` constructor with Dynamo" + nothing
    assert explained(made).why == "a parameter is made, which no graph can do"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Operator `aten._unique2.default` has a shape", "Operator `torch.unique` has a shape"),
        ("torch.ops.aten.nonzero.default", "torch.nonzero"),
        ("aten._local_scalar_dense.default", "_local_scalar_dense"),
    ],
)
def test_an_operator_has_the_name_that_its_caller_wrote(text, plain):
    assert readable(text) == plain
