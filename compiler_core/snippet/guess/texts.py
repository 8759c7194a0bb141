"""Batches of texts, as tokenizers give them: what stands beside `input_ids` has its sizes."""

from collections.abc import Iterable, Mapping, Sequence

from compiler_core.inputs import Drawn, InputSpec
from compiler_core.snippet.guess.hints import SIZES

_EACH = (SIZES["B"], SIZES["T"])
_BESIDE = {
    "attention_mask": InputSpec("i64", _EACH, drawn=Drawn("constant", (1.0,))),
    "token_type_ids": InputSpec("i64", _EACH, drawn=Drawn("constant", (0.0,))),
    "position_ids": InputSpec("i64", _EACH),
    "decoder_input_ids": InputSpec("i64", _EACH),
}
# Of the whole text, or of each token.
_LABELS = (_EACH[:1], _EACH)


def batches(keys: Iterable[str]) -> Sequence[Mapping[str, InputSpec]]:
    """What is known of a dict with such keys, likeliest first."""
    if "input_ids" not in keys:
        return ({},)
    return tuple({**_BESIDE, "labels": InputSpec("i64", shape)} for shape in _LABELS)
