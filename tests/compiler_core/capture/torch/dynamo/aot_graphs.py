"""What AOTAutograd gives a back end of a function."""

import torch

from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.dividing import min_cut

X = torch.rand(4, 6)


def graphs_of(fn, *args, grad=False):
    """The roles and modules that AOTAutograd gives, and how it was asked to divide."""
    seen, divided = [], []

    def compiler(role):
        def compile_(module, inputs):
            seen.append((role, module))
            return aot.boxed(torch.fx.Interpreter(module).boxed_run)

        return compile_

    def partition(joint, inputs, **options):
        divided.append(options["num_fwd_outputs"])
        return min_cut(joint, inputs, **options)

    backend = aot.aot_backend(
        compiler("forward"), compiler("backward"), compiler("inference"), partition
    )
    with torch.set_grad_enabled(grad):
        result = torch.compile(fn, backend=backend, dynamic=False)(*args)
    return seen, divided, result
