"""What annotations say of a parameter."""

from dataclasses import dataclass

import pytest

from compiler_core.snippet.annotating import _CONTENTS
from compiler_core.snippet.guess.annotations import annotation_of

OWN = _CONTENTS["jaxtyping"]()


@dataclass
class Settings:
    width: int = 4


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [(int, "int"), (bool, "bool"), ("float", "float"), (int | None, "int"),
     ("torch.Tensor", "tensor"), (list[int], "list"), (Settings, "class"), ("Unknown", "")],
)  # fmt: skip
def test_kinds(annotation, kind):
    assert annotation_of(annotation).kind == kind


@pytest.mark.parametrize(
    ("name", "dims", "spec"),
    [("Float", "batch seq dim", "f32[8,32,256]"), ("Int", "b 16", "i64[8,16]"),
     ("Bool", "", "bool[]"), ("BFloat16", "... 64", "bf16[8,64]"),
     ("Float", "*batch heads=4 head_dim", "f32[8,4,64]"), ("Int32", "seq+1", "i32[33]"),
     ("Float", "c h w", "f32[16,32,32]"), ("Key", "", "u32[2]")],
)  # fmt: skip
def test_jaxtyping_names_sizes(name, dims, spec):
    assert str(annotation_of(OWN[name][object, dims]).spec) == spec


def test_text_of_a_spec_is_the_spec():
    assert str(annotation_of("bf16[2,3]").spec) == "bf16[2,3]"


def test_text_with_a_type_alone_says_the_type():
    assert annotation_of("f16[...]").dtype == "f16"


def test_a_tuple_says_how_many_it_has():
    assert [part.kind for part in annotation_of(tuple[int, str]).parts] == ["int", "str"]
    assert annotation_of(tuple[int, ...]).parts == ()
