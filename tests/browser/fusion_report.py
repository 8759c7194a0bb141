"""A report with a graph to draw, written by hand: a row kernel, a product and what follows it,
which are apart for a reason; in two passes."""

from msgspec import structs

from compiler_core import report
from compiler_core.report import (
    Artifact,
    CapturedOp,
    FusionRefusal,
    Graph,
    Kernel,
    Program,
    Read,
    Report,
    Stage,
)

SOURCE = """import torch

def f(x, w):
    y = torch.softmax(x, -1)
    return torch.relu(y @ w)
"""
HEAD = "graph f(%0: f32[512,512], %1: f32[512,512]) {"
BODY = """  %2 = reduce(%0) {monoid = maximum, dimensions = (1)} : f32[512]
  %3 = broadcast_in_dim(%2) {dimensions = (0)} : f32[512,512]
  %4 = subtract(%0, %3) : f32[512,512]
  %5 = exponential(%4) : f32[512,512]
  %6 = reduce(%5) {monoid = add, dimensions = (1)} : f32[512]
  %7 = broadcast_in_dim(%6) {dimensions = (0)} : f32[512,512]
  %8 = divide(%5, %7) : f32[512,512]
  %9 = dot_general(%8, %1) {lhs_batch = (), rhs_batch = ()} : f32[512,512]
  %10 = constant() {value = 0.0} : f32[512,512]
  %11 = maximum(%9, %10) : f32[512,512]
  return %11
}
"""
# Before the pass: an operation more.
CAPTURED = BODY.replace("  return", "  %12 = multiply(%11, %13) : f32[512,512]\n  return").replace(
    "%11\n}", "%12\n}"
)
ORIGINS = {"%2 %3 %4 %5 %6 %7 %8": 0, "%9": 1, "%10 %11 %12": 2}
REASON = "a matrix product is a launch of its own"


def _text(name: str, body: str) -> Artifact:
    lines = [HEAD, *body.splitlines()]
    of = {value: [op] for values, op in ORIGINS.items() for value in values.split()}
    return Artifact(
        name, "ir", "fuselab", "\n".join(lines) + "\n",
        [of.get(line.split(" = ")[0].strip(), []) for line in lines],
    )  # fmt: skip


def _kernel(id_: str, kind: str, values: list[int], nodes: list[int], backend: str) -> Kernel:
    library = "matmul" if kind == "matmul" else None
    return Kernel(
        id_, kind, library, ["add"], 2**20, 2**20, [], nodes, backend=backend, values=values
    )


def _kernels(backend: str) -> list[Kernel]:
    return [
        _kernel("k0_reduce_subtract", "row", [2, 3, 4, 5, 6, 7, 8], [0], backend),
        _kernel("k1_matmul", "matmul", [9], [1], backend),
        _kernel("k2_maximum", "elementwise", [10, 11], [2], backend),
    ]


def drawn(**facts: object) -> Report:
    """The report, with `facts` of its program in place of those that it has."""
    before, after = _text("before", CAPTURED), _text("after", BODY)
    refusals = [
        FusionRefusal("%8 divide", "%9 dot_general", REASON, [0, 1], from_value=8, to_value=9),
        FusionRefusal("%9 dot_general", "%11 maximum", REASON, [1, 2], from_value=9, to_value=11),
    ]
    program = Program(
        "f",
        "torch",
        backend="cpu",
        graphs=[Graph(name="f", line=3)],
        nodes=[
            CapturedOp(0, "softmax", 4, 9),
            CapturedOp(1, "mm", 5, 23, reads=[Read(0, 2**20)]),
            CapturedOp(2, "relu", 5, 12, reads=[Read(1, 2**20)]),
        ],
        kernels=[*_kernels("cpu"), *_kernels("gpu")],
        fusion_refusals=[
            structs.replace(r, backend=backend) for backend in ("cpu", "gpu") for r in refusals
        ],
        stages=[
            Stage("capture", "ok", 1.0, [structs.replace(before, name="ir")], "capture"),
            Stage("simplify-algebra", "ok", 1.0, [before, after], "pass"),
            Stage("fuse", "ok", 1.0, kind="fuse", backend="cpu"),
            Stage("fuse", "ok", 1.0, kind="fuse", backend="gpu"),
        ],
    )
    for name, value in facts.items():
        setattr(program, name, value)
    return Report(snippet=report.Snippet("", SOURCE), programs=[program])


def repeated(times: int, *, modules: bool = False) -> Report:
    """tanh(x @ w) again and again: two kernels a block, all alike; with `modules` each block is a
    module of its own rather than the same two lines."""
    lines = [f"graph f({', '.join(f'%{i}: f32[8,8]' for i in range(times + 1))}) {{"]
    origins, value, last = [[]], times, 0
    kernels = []
    for block in range(times):
        product, result = value + 1, value + 2
        lines.append(f"  %{product} = dot_general(%{last}, %{block + 1}) : f32[8,8]")
        lines.append(f"  %{result} = tanh(%{product}) : f32[8,8]")
        own = [2 * block, 2 * block + 1] if modules else [0, 1]
        origins += [[op] for op in own]
        for number, (kind, at) in enumerate((("matmul", product), ("elementwise", result))):
            id_ = f"k{2 * block + number}_{kind}"
            kernels.append(_kernel(id_, kind, [at], [own[number]], "cpu"))
        value = last = result
    text = "\n".join([*lines, f"  return %{last}", "}"]) + "\n"
    ir = Artifact("ir", "ir", "fuselab", text, [*origins, [], []])
    program = Program(
        "f",
        "torch",
        backend="cpu",
        graphs=[Graph(name="f", line=3)],
        nodes=[
            node
            for block in range(times if modules else 1)
            for node in _block(block, f"blocks/{block}" if modules else "")
        ],
        kernels=kernels,
        stages=[
            Stage("capture", "ok", 1.0, [ir], "capture"),
            Stage("fuse", "ok", 1.0, kind="fuse", backend="cpu"),
        ],
    )
    return Report(snippet=report.Snippet("", SOURCE), programs=[program])


def _block(block: int, scope: str) -> list[CapturedOp]:
    product = 2 * block
    return [
        CapturedOp(product, "mm", 4, 9, scope=scope),
        CapturedOp(product + 1, "tanh", 5, 9, reads=[Read(product, 256)], scope=scope),
    ]
