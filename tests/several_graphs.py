"""A report of several graphs and two plans, told by events as a run tells them.

Two programs: "gated", two pieces with Python between them, and "step", a training step of a forward
and a backward graph. Each graph has a plan for the CPU, which ran, and one for the GPU.
"""

from collections.abc import Iterator
from functools import reduce

from compiler_core import report
from compiler_core.report import (
    Artifact,
    Buffer,
    CapturedOp,
    Entry,
    Facts,
    FusionRefusal,
    Graph,
    GraphBreak,
    Kernel,
    Numerics,
    ProgramFound,
    PythonSegment,
    Resources,
    Saved,
    Schedule,
    ScheduleCandidate,
    Stage,
    StageDone,
    Summary,
    Timing,
)

SOURCE = """import torch


@torch.compile
def gated(x):
    y = torch.tanh(x) * 2
    if y.sum() > 0:
        print("positive")
    return torch.softmax(y, -1)


def step(x, w):
    loss = torch.sigmoid(x * w).sum()
    loss.backward()


gated(torch.ones(64, 512))
step(torch.ones(64, 512), torch.ones(512, requires_grad=True))
"""

PIECES = [
    Graph("whole", "gated", "whole", 4),
    Graph("piece1", "piece 1 of 2", "piece", 6, "whole"),
    Graph("piece2", "piece 2 of 2", "piece", 9, "whole"),
]
BREAK = "the condition depends on a tensor's value"
PYTHON = [
    PythonSegment("piece1", 7, 8, '    if y.sum() > 0:\n        print("positive")', BREAK, 131072),
]
SAVED = [
    Saved("sigmoid", "f32[64,512]", 131072, [13], [11]),
    Saved("x", "f32[64,512]", 131072, [12]),
]
TRAINING = [
    Graph("whole", "step", "whole", 12),
    Graph("forward", "forward", "forward", 13, "whole", SAVED),
    Graph("backward", "backward", "backward", 13, "whole"),
]

# Of each graph: its captured operations as (id, name, line).
OPS = {
    "piece1": [(0, "tanh", 6), (1, "mul", 6)],
    "piece2": [(2, "softmax", 9)],
    "forward": [(10, "mul", 13), (11, "sigmoid", 13), (12, "sum", 13)],
    "backward": [(13, "sigmoid_backward", 13), (14, "mul", 13)],
}


def events() -> Iterator[report.Event]:
    device = report.Device("cpu", "A CPU", 2)
    options = report.Options(target="sm_90")
    yield report.Started(report.Snippet("", SOURCE), {"torch": "2.13.0"}, device, options)
    yield from program(0, "gated", 5, ["f32[64,512]"], PIECES, PYTHON)
    yield Facts(0, graph_breaks=[GraphBreak(BREAK, 7)])
    yield from program(1, "step", 12, ["f32[64,512]", "f32[512]"], TRAINING, [])
    yield report.Finished("60 interleaved samples")


def program(
    number: int,
    name: str,
    line: int,
    inputs: list[str],
    graphs: list[Graph],
    python: list[PythonSegment],
) -> Iterator[report.Event]:
    yield ProgramFound(number, name, "torch", Entry(line), inputs, "cpu")
    yield Facts(number, graphs=graphs, python=python)
    for graph in graphs[1:]:
        yield from captured(number, graph.id)
        for backend in ("cpu", "gpu"):
            yield from planned(number, graph.id, backend)
    numbers = {c: Numerics(1e-7, 1e-6, True) for c in ("eager", "core")}
    yield StageDone(number, Stage("numerics", "ok", 3.0, kind="numerics", summary="all within"))
    yield Facts(number, numerics=numbers, timings=timings(), summary=SUMMARY)


SUMMARY = Summary(6, 6, 6, 4, 2_097_152, 1_048_576, 1.0)


def timings() -> dict[str, Timing]:
    eager = Timing(120.0, 118.0, 123.0, 5, samples_us=[117.0, 118.0, 120.0, 123.0, 125.0])
    core = Timing(60.0, 59.0, 62.0, 5, 8.0, 90.0, 99.0, 2.0, 1.9, 2.1, "faster", 1600,
                  [58.0, 59.0, 60.0, 62.0, 63.0])  # fmt: skip
    return {"eager": eager, "core": core}


def captured(number: int, graph: str) -> Iterator[report.Event]:
    """The captured graph, and one pass over it."""
    ops = OPS[graph]
    nodes = [[], *([op] for op, _, _ in ops), []]
    body = [f"  %{op} = {name}" for op, name, _ in ops]
    text = "\n".join([f"graph {graph}", *body, "  return"])
    aten = Artifact("captured", "captured", "aten", text, nodes)
    ir = Artifact("ir", "ir", "fuselab", text, nodes)
    yield StageDone(number, Stage("capture", "ok", 8.0, [aten, ir], kind="capture", graph=graph))
    result = [CapturedOp(op, name, line, 4, graph) for op, name, line in ops]
    yield Facts(number, nodes=result, graph=graph)
    after = Artifact("after", "ir", "fuselab", text.replace("graph", "graph tidy"), nodes)
    before = Artifact("before", "ir", "fuselab", text, nodes)
    sides = [before, after]
    yield StageDone(number, Stage("simplify", "ok", 1.0, sides, kind="pass", graph=graph))


def planned(number: int, graph: str, backend: str) -> Iterator[report.Event]:
    """One backend's plan of a graph: kernels, refusals, buffers and the code."""
    ids = [op for op, _, _ in OPS[graph]]
    where = {"graph": graph, "backend": backend}
    yield StageDone(
        number, Stage("fuse", "ok", 2.0, kind="fuse", summary=f"for {backend}", **where)
    )
    names = [f"k{i}" for i in range(2 if len(ids) > 2 and backend == "cpu" else 1)]
    kernels = [kernel(name, ids, graph, backend) for name in names]
    refusal = FusionRefusal("mul (k0)", "sum (k1)", f"{backend}: 4.0 us more", ids, **where)
    buffers = [
        Buffer("in0", "f32[64,512]", 131072, None, 0, 0, ids[:1], **where),
        Buffer("t0", "f32[64]", 256, 0, 0, len(names) - 1, ids[-1:], **where),
    ]
    facts = {"kernels": kernels, "fusion_refusals": [refusal], "buffers": buffers}
    yield Facts(number, **facts, **where)
    yield code(number, graph, backend, ids)
    if backend == "gpu":
        needed = [Resources(n, "sm_90", 24, 0, 1024, 4, 2.5, **where) for n in names]
        yield Facts(number, resources=needed, **where)


def kernel(name: str, ids: list[int], graph: str, backend: str) -> Kernel:
    strategy, parameters = {
        "cpu": ("rows over threads", {"threads": 2, "vector": 8}),
        "gpu": ("one block a row", {"BLOCK": 512, "num_warps": 4}),
    }[backend]
    reason = "a row fits in one block"
    candidates = [
        ScheduleCandidate(strategy, parameters, 2.5, True, reason),
        ScheduleCandidate("split rows", {"BLOCK": 256, "splits": 2}, 4.1, False, "1.6 us slower"),
        ScheduleCandidate("persistent", {}, None, False, "needs more rows than blocks"),
    ]
    return Kernel(
        name,
        "row reduction",
        None,
        [f"op{i}" for i in ids],
        131072,
        256,
        [6],
        ids,
        65536,
        graph=graph,
        backend=backend,
        schedule=Schedule(strategy, parameters, reason),
        candidates=candidates,
    )


def code(number: int, graph: str, backend: str, ids: list[int]) -> report.StageDone:
    """C for the CPU, Triton for the GPU."""
    if backend == "cpu":
        text = Artifact("c", "c", "c", f"void {graph}(void) {{\n}}", [ids, []])
        stage = Stage("c", "ok", 70.0, [text], kind="codegen", graph=graph, backend=backend)
        return StageDone(number, stage)
    source = f"@triton.jit\ndef {graph}_k0():\n    pass"
    text = Artifact("k0", "triton", "python", source, [[], ids, ids], "k0")
    stage = Stage("triton", "ok", 4.0, [text], kind="codegen", graph=graph, backend=backend)
    return StageDone(number, stage)


def whole() -> report.Report:
    return reduce(report.apply, events(), report.Report())
