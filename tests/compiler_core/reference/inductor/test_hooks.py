"""What the installed torch has of what is listened to: a release that names it otherwise fails
here, by name."""

import inspect
import threading

import pytest
import torch
from torch._dynamo.utils import ChromiumEventLogger
from torch._inductor import compile_fx, ir, loop_body, pattern_matcher, scheduler, select_algorithm
from torch._inductor.codecache import AotCodeCompiler
from torch._inductor.codegen import common
from torch._inductor.codegen.cpp import CppScheduling
from torch._inductor.codegen.triton import TritonScheduling
from torch._inductor.graph import GraphLowering

from compiler_core.reference.inductor import hooks

pytestmark = pytest.mark.null

# Each function with the parameters that its hook hands on.
EXPECTED = [
    *((compile_fx, name, ["gm"]) for name in hooks.PASSES.values()),
    (pattern_matcher.ReplacementPatternEntry, "apply", ["self", "match", "graph", "node"]),
    (pattern_matcher.GraphPatternEntry, "apply", ["self", "match", "graph", "node"]),
    (pattern_matcher.LoweringPatternEntry, "apply", ["self", "match", "graph", "node"]),
    (scheduler.WhyNoFuse, "__init__", ["self", "node1", "node2"]),
    (scheduler.WhyNoFuse, "__call__", ["self", "reason", "args"]),
    (scheduler.Scheduler, "fuse_two_nodes", ["self", "node1", "node2"]),
    (scheduler.Scheduler, "fuse_nodes", ["self", "nodes"]),
    (CppScheduling, "can_fuse_vertical", ["self", "node1", "node2"]),
    (CppScheduling, "can_fuse_horizontal", ["self", "node1", "node2"]),
    (CppScheduling, "define_kernel", ["self", "src_code", "nodes"]),
    (TritonScheduling, "define_kernel", ["self", "src_code", "node_schedule"]),
    (GraphLowering, "_compile_to_module", ["self"]),
    (AotCodeCompiler, "compile", ["graph", "wrapper_code", "kernel_code"]),
    (compile_fx, "compile_fx_aot", ["model_", "example_inputs_", "inner_compile"]),
    (ir.Loops, "__post_init__", ["self"]),
    (loop_body.LightTracer, "create_node", ["self"]),
    (common.CSE, "generate", ["self", "buffer", "expr"]),
    (select_algorithm, "add_feedback_saver", ["fn"]),
    (select_algorithm, "clear_feedback_savers", []),
    (ChromiumEventLogger, "log_event_start", ["self", "event_name", "time_ns"]),
    (ChromiumEventLogger, "log_event_end", ["self", "event_name", "time_ns"]),
]


@pytest.mark.parametrize(
    "owner, name, parameters", EXPECTED, ids=lambda x: x if isinstance(x, str) else ""
)
def test_torch_has_what_is_listened_to(owner, name, parameters):
    found = list(inspect.signature(getattr(owner, name)).parameters)
    assert found[: len(parameters)] == parameters


def test_hooks_are_gone_afterwards_and_other_threads_are_not_heard():
    owner = type("Owner", (), {"double": lambda self, x: 2 * x})
    original, heard = owner.double, []

    def hook(called, self, x):
        heard.append(x)
        return called(self, x)

    with hooks.around(owner, "double", hook):
        assert owner().double(1) == 2
        other = threading.Thread(target=lambda: owner().double(3))
        other.start()
        other.join()
    assert heard == [1] and owner.double is original


def test_a_copy_of_a_graph_outlives_what_becomes_of_the_graph():
    module = torch.fx.symbolic_trace(lambda x: x + 1)
    copy = hooks.copy_of(module)
    for node in reversed(list(module.graph.nodes)):
        module.graph.erase_node(node)
    assert copy(torch.ones(2)).tolist() == [2, 2]
