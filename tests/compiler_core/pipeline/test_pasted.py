"""Snippets as people paste them end well, from the text to the numbers."""

import pytest

from compiler_core import report
from compiler_core.pipeline import explore
from conformance import snippets
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

# Those that take little time; `make conformance` runs all. The names of their programs.
FAST = {
    "torch_compiled_never_called": ["gelu"],
    "torch_function_embedding": ["embed"],
    "torch_function_jaxtyping_numbers": ["rms_norm"],
    "torch_function_size_arguments": ["split_heads", "merge_heads"],
    "torch_module_attention_hints": ["MultiHeadAttention"],
    "torch_module_no_inputs": ["field"],
    "torch_class_decorator": ["Net"],
    "torch_retrieval": ["semantic_search"],
    "torch_nucleus_sampling": ["sample"],
    "torch_model_compile_method": ["Sequential"],
    "torch_dynamo_explain": ["toy"],
    "torch_export": ["Mod"],
    "torch_func_uncompiled": ["jacrev(predict)"],
    "torch_and_jax_uncalled": ["rms_norm_torch", "rms_norm_jax"],
    "jax_jit_static_never_called": ["attention"],
    "jax_lower_shape_struct": ["step"],
    "jax_make_jaxpr": ["func"],
    "jax_value_and_grad_step": ["update"],
    "jax_pmap_sharding": ["f", "lambda"],
    "jax_float8": ["fp8_dot", "dequant"],
    "jax_ragged_experts": ["moe"],
    "torch_selective_checkpoint_dropout": ["Model"],
    "torch_einops_vit": ["ViT"],
    "torch_einops_uncalled": ["space_to_depth", "pooled", "upsample", "attn", "packed"],
    "jax_einops_attention": ["attention"],
    "jax_optax_step": ["step"],
}
# Each operation of it has a test of its own, ragged_dot in capture/jax/test_programs.py; or what is
# its own is a package's, which `make conformance` runs too.
SLOWER = {
    "jax_ragged_experts", "jax_optax_step", "jax_einops_attention", "jax_float8",
    "torch_einops_vit",
}  # fmt: skip


def run(name: str) -> report.Report:
    result = report.Report()
    options = report.Options(measure=False)
    explore(snippets.text(name), options, lambda event: report.apply(result, event))
    return result


@pytest.mark.parametrize("name", thinned(FAST, kept=FAST.keys() - SLOWER))
def test_it_ends_well(name):
    result = run(name)
    assert (result.error, [p.error for p in result.programs]) == (None, [None] * len(FAST[name]))
    assert [p.name for p in result.programs] == FAST[name]
    assert all(p.numerics["core"].ok for p in result.programs)


@pytest.mark.parametrize("name", snippets.REFUSED)
def test_what_cannot_end_well_says_why_and_what_to_do(name):
    result = run(name)
    assert result.error is not None and result.programs == []
    assert result.error.line is not None and result.error.remedy
    assert "fault" not in result.error.remedy
