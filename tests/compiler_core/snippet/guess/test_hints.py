"""What names say."""

import pytest

from compiler_core.snippet.guess.hints import KINDS, SIZES, kind_of, number_of, size_of, sizes_of
from compiler_core.snippet.guess.tensors import specs_of


@pytest.mark.parametrize(
    ("name", "number"),
    [("num_heads", 4), ("vocab_size", 1000), ("d_model", 256), ("in_channels", 3), ("eps", 1e-5),
     ("kernel_size", 3), ("num_classes", 10), ("dropout", 0.1), ("hidden_dim", 512), ("foo", None),
     ("layer_id", 0), ("padding_idx", 0), ("H", 32), ("h", 4), ("step", 1)],
)  # fmt: skip
def test_numbers(name, number):
    assert number_of(name) == number


@pytest.mark.parametrize(
    ("name", "kind"),
    [("q", "attention"), ("W1", "weight"), ("b1", "bias"), ("input_ids", "ids"), ("x", None),
     ("attn_mask", "mask"), ("edge_index", "edges"), ("A", "square"), ("rng", "key"),
     ("pred_boxes", "boxes"), ("bbox", "boxes"), ("scores", "scores")],
)  # fmt: skip
def test_kinds(name, kind):
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("name", "beside", "kind"),
    [("values", ("keys",), "attention"), ("values", ("rewards",), "each"), ("v", ("params",), None),
     ("key", ("x",), "key"), ("key", ("query",), "attention"), ("q", ("cache",), "attention")],
)  # fmt: skip
def test_keys_and_values_are_attentions_beside_each_other(name, beside, kind):
    assert kind_of(name, beside) == kind


def test_a_height_stands_beside_a_width():
    assert sizes_of("bchw") == (8, 16, 32, 32) and sizes_of("bhtd") == (8, 4, 32, 256)


@pytest.mark.parametrize(
    ("name", "letter"), [("batch", "B"), ("t", "T"), ("d_model", "D"), ("H", "H")]
)
def test_dimensions(name, letter):
    assert size_of(name) == SIZES[letter]


def test_heads_divide_features():
    assert SIZES["D"] == SIZES["H"] * SIZES["E"] and SIZES["D"] % number_of("num_heads") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_specs_that_fit_in_memory(kind):
    assert all(spec.nbytes < 2**28 for spec in specs_of(kind, SIZES))
