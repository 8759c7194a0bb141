"""Batches of texts, as tokenizers return them: tensors beside `input_ids` have its sizes. And
whether a model is a language model."""

import ast
from collections.abc import Iterable, Mapping, Sequence

from compiler_core.inputs import Drawn, InputSpec
from compiler_core.snippet.guess.assigned import Assigned, assigned
from compiler_core.snippet.guess.hints import SIZES

_EACH = (SIZES["B"], SIZES["T"])
_BESIDE = {
    "attention_mask": InputSpec("i64", _EACH, drawn=Drawn("constant", (1.0,))),
    "token_type_ids": InputSpec("i64", _EACH, drawn=Drawn("constant", (0.0,))),
    "position_ids": InputSpec("i64", _EACH),
    "decoder_input_ids": InputSpec("i64", _EACH),
}
# One label for the whole text, or one for each token.
_LABELS = (_EACH[:1], _EACH)


def batches(keys: Iterable[str]) -> Sequence[Mapping[str, InputSpec]]:
    """The known tensors of a dict with these keys, likeliest first."""
    if "input_ids" not in keys:
        return ({},)
    return tuple({**_BESIDE, "labels": InputSpec("i64", shape)} for shape in _LABELS)


def gives_logits(code: ast.AST, name: str) -> bool:
    """Whether the code calls `name` for logits and takes those of the last token: `model(ids)[:,
    -1, :]`."""
    given = assigned(code)
    taken = (n for n in ast.walk(code) if isinstance(n, ast.Subscript) and _is_last(n.slice))
    return any(_is_call(n.value, name, given) for n in taken)


def _is_last(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else []
    return len(parts) > 1 and isinstance(parts[0], ast.Slice) and ast.unparse(parts[1]) == "-1"


def _is_call(node: ast.expr, name: str, given: Assigned) -> bool:
    values = given.get(node.id, ()) if isinstance(node, ast.Name) else [node]
    calls = (v for v in values if isinstance(v, ast.Call) and isinstance(v.func, ast.Name))
    return any(isinstance(c.func, ast.Name) and c.func.id == name for c in calls)
