"""What a module's layers imply for its inputs: the first Linear's in_features are their last
size."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# By class: the kind of its input, the attribute that has its size, and that size's letter.
_ROWS: dict[str, tuple[str, str, str]] = {
    "Linear": ("features", "in_features", "D"),
    "Bilinear": ("features", "in1_features", "D"),
    "Embedding": ("ids", "num_embeddings", "V"),
    "EmbeddingBag": ("ids", "num_embeddings", "V"),
    "Conv1d": ("signal", "in_channels", "C"),
    "Conv2d": ("image", "in_channels", "C"),
    "Conv3d": ("volume", "in_channels", "C"),
    "ConvTranspose1d": ("signal", "in_channels", "C"),
    "ConvTranspose2d": ("image", "in_channels", "C"),
    "ConvTranspose3d": ("volume", "in_channels", "C"),
    "BatchNorm1d": ("features", "num_features", "D"),
    "BatchNorm2d": ("image", "num_features", "C"),
    "GroupNorm": ("image", "num_channels", "C"),
    "LSTM": ("sequence", "input_size", "D"),
    "GRU": ("sequence", "input_size", "D"),
    "RNN": ("sequence", "input_size", "D"),
    "LSTMCell": ("features", "input_size", "D"),
    "GRUCell": ("features", "input_size", "D"),
    "RNNCell": ("features", "input_size", "D"),
    "MultiheadAttention": ("sequence", "embed_dim", "D"),
    "LayerNorm": ("features", "normalized_shape", "D"),
    "RMSNorm": ("features", "normalized_shape", "D"),
}
_MOST = 8


@dataclass(frozen=True)
class Layer:
    """A layer that may take the module's input: the kind of input, and the letter of a size with
    its value."""

    kind: str
    letter: str
    size: int
    name: str


def layers(module: Any) -> list[Layer]:
    """The layers in the order in which they were registered, then the sizes of the module's own
    parameters."""
    found = [layer for m in module.modules() for layer in _layer(m)]
    return list(dict.fromkeys([*found, *_own(module)]))[:_MOST]


def _layer(module: Any) -> Iterator[Layer]:
    for base in type(module).__mro__:
        kind, attribute, letter = _ROWS.get(base.__name__, ("", "", ""))
        size = _last(getattr(module, attribute, None))
        if size is not None:
            yield Layer(kind, letter, size, type(module).__name__)
            return


def _last(size: Any) -> int | None:
    """A size, or the last of several; None for what the snippet's own class of such a name has
    there, if anything."""
    last = size[-1] if isinstance(size, tuple | list) and size else size
    return last if type(last) is int else None


def _own(module: Any) -> Iterator[Layer]:
    for parameter in module.parameters():
        if parameter.dim() in (1, 2):
            for size in reversed(parameter.shape):
                yield Layer("features", "D", int(size), "a parameter")
        elif parameter.dim() >= 4:
            yield Layer("image", "C", int(parameter.shape[0]), "a parameter")
