"""What chapters.toml tells people to look at, where a report without timings has it."""

from collections.abc import Callable

from compiler_core import report

Look = Callable[[report.Program], bool]

# What runs kernels of its own, and is none itself.
CONTROL = frozenset({"while", "scan", "case", "call"})


def artifacts(program: report.Program, kind: str) -> list[report.Artifact]:
    return [a for s in program.stages for a in s.artifacts if a.kind == kind]


def kernels(program: report.Program, backend: str) -> list[report.Kernel]:
    return [k for k in program.kernels if k.backend == backend]


def generated(program: report.Program, backend: str) -> list[report.Kernel]:
    return [k for k in kernels(program, backend) if k.library is None and k.kind not in CONTROL]


def text_of(program: report.Program, kind: str) -> str:
    return "\n".join(artifact.text for artifact in artifacts(program, kind))


def counts(kind: str, found: dict[str, int]) -> Look:
    """Whether a kind of text has each of some words so often."""
    return lambda p: {word: text_of(p, kind).count(f"{word}(") for word in found} == found


def has(kind: str, text: str) -> Look:
    return lambda p: text in text_of(p, kind)


def changed_by(name: str) -> Look:
    return lambda p: any(s.name == name and s.changed for s in p.stages)


def kernels_are(count: int) -> Look:
    return lambda p: p.summary.launches_core == count


def kinds_are(*kinds: str) -> Look:
    return lambda p: {k.kind for k in p.kernels} == set(kinds)


def kinds_with(*kinds: str) -> Look:
    return lambda p: {k.kind for k in p.kernels} >= set(kinds)


def roles_with(*roles: str) -> Look:
    return lambda p: {g.role for g in p.graphs} >= set(roles)


def breaks_are(count: int) -> Look:
    return lambda p: len(p.graph_breaks) == count


def both(*looks: Look) -> Look:
    return lambda p: all(look(p) for look in looks)


def _machines_differ(p: report.Program) -> bool:
    """On a CPU and on a GPU other kernels, and an edge that is not fused on either."""
    cpu, gpu = ({k.id for k in kernels(p, name)} for name in ("cpu", "gpu"))
    return cpu != gpu and {r.backend for r in p.fusion_refusals} == {"cpu", "gpu"}


def _places(p: report.Program) -> set[int]:
    """Where the CPU's plan has what is not given, returned or a weight."""
    return {b.offset for b in p.buffers if b.backend in ("", "cpu") and b.offset is not None}


def _walk_is_shared(p: report.Program) -> bool:
    """The maximum, the best with its place, and the sum are found in one walk."""
    lines = text_of(p, "loops").splitlines()
    first = [line for line in lines if line.startswith("  phase 0:") and "reduce" in line]
    return all(any(word in line for line in first) for word in ("maximum", "argmax", "add"))


def _is_no_worse(p: report.Program) -> bool:
    return p.numerics["core"].max_abs_error <= p.numerics["eager"].max_abs_error


LOOKS: dict[str, Look] = {
    "01-bias-gelu": kernels_are(1),
    "02-elementwise-chain": both(lambda p: p.summary.launches_eager == 8, kernels_are(1)),
    "03-softmax-rows": counts("triton", {"tl.load": 1}),
    "04-norm-linear-gelu-residual": _machines_differ,
    "05-mlp-module": lambda p: len(_places(p)) > 1,
    "06-rmsnorm-residual": both(
        lambda p: p.summary.ops_captured == 7, kernels_are(1), counts("triton", {"tl.store": 2})
    ),
    "07-jax-linear-relu": both(kernels_are(1), kinds_are("matmul")),
    "08-jax-gelu-exact-tanh": counts("triton", {"tl.load": 1, "tl.store": 2}),
    "09-jax-attention-head": kinds_are("attention"),
    "10-jax-layer-norm": both(lambda p: p.summary.ops_captured == 16, kernels_are(1)),
    "11-jax-mlp-pytree": has("captured", "%params[1][w]: f32[512,512]"),
    "12-jax-grad-mse": counts("captured", {"tanh": 1}),
    "13-graph-break": both(breaks_are(2), roles_with("piece")),
    "14-training-step": roles_with("forward", "backward", "piece"),
    "15-jax-scan-rnn": both(kinds_with("scan"), changed_by("loop-invariants")),
    "16-jax-while-cond": kinds_with("while", "case"),
    "17-embedding-cross-entropy": kernels_are(4),
    "18-pooling": both(kernels_are(2), lambda p: len(p.fusion_refusals) > 0),
    "19-jax-embedding-gradient": has("triton", "tl.atomic_add"),
    "20-running-values": has("triton", "tl.associative_scan"),
    "21-long-rows": _walk_is_shared,
    "22-causal-attention": kinds_are("attention"),
    "23-varying-batch": both(has("c", "long B"), has("ir", "f32[B,64]")),
    "24-top-k-sampling": kinds_with("top_k", "sort"),
    "27-print-in-the-middle": breaks_are(2),
    "28-item-in-the-middle": breaks_are(1),
    "29-loop-over-steps": changed_by("common-subexpressions"),
    "30-branch-mended": both(breaks_are(0), kernels_are(2)),
    "32-padded-to-buckets": kernels_are(1),
    "33-forward-and-backward": both(breaks_are(0), roles_with("forward", "backward")),
    "34-decomposed": lambda p: (p.summary.ops_captured, p.summary.ops_final) == (2, 17),
    "35-nothing-to-compute": both(changed_by("simplify-algebra"), has("c", "+ 0.0f")),
    "36-views-merged": both(changed_by("merge-views"), lambda p: p.summary.ops_final == 1),
    "37-common-subexpressions": lambda p: artifacts(p, "ir")[-1].text.count("exponential(") == 1,
    "38-turned-product": changed_by("order-matmuls"),
    "39-constants-folded": changed_by("fold-constants"),
    "40-sum-of-squares": kernels_are(1),
    "41-one-product": kernels_are(1),
    "42-sixteen-numbers": both(lambda p: p.summary.launches_eager == 3, kernels_are(1)),
    "43-buffers-reused": both(kernels_are(5), lambda p: len(_places(p)) == 2),
    "44-bfloat16": _is_no_worse,
    "45-order-of-sums": _is_no_worse,
    "46-torch-export": has("captured", "Gate(%x: f32[128,256], %y: f32[128,256])"),
    "48-jax-vmap": both(kernels_are(1), has("ir", "f32[64,128]")),
    "50-jax-sgd-step": kernels_are(2),
    "51-reading-ptx": has("ptx", ".v4."),
    "52-stablehlo": kernels_are(1),
    "53-small-graphs": both(
        breaks_are(3), kernels_are(4), lambda p: p.summary.launches_eager == 12
    ),
}
