"""Records the graphs of AOTAutograd while torch runs them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from compiler_core.capture.torch.dynamo.dividing import min_cut
from compiler_core.reference.aot import partition, private, writes
from compiler_core.reference.aot.records import Divided
from compiler_core.reference.fx_text import lines_of


@dataclass
class Recording:
    """The graphs of a program, in order, recorded by `backend`."""

    graphs: list[Divided] = field(default_factory=list)

    def backend(self, module: Any, examples: Sequence[Any]) -> Any:
        """A back end of torch.compile."""
        divided = Divided(writes.operations(module))
        self.graphs.append(divided)

        def divide(joint: Any, inputs: Any, **options: Any) -> tuple[Any, Any]:
            divided.joint = lines_of(joint)
            halves = min_cut(joint, inputs, **options)
            divided.forward, divided.backward = map(lines_of, halves)
            divided.kept = partition.kept(halves[0], options["num_fwd_outputs"])
            divided.again = partition.again(*halves)
            return halves

        def infer(graph: Any, given: Sequence[Any]) -> Any:
            divided.inference = lines_of(graph)
            return forward(graph, given)

        def forward(graph: Any, given: Sequence[Any]) -> Any:
            divided.writes.extend(writes.inputs(module))
            return private.run_by_torch(graph, given)

        backend = private.backend(forward, private.run_by_torch, infer, divide)
        return backend(module, examples)
