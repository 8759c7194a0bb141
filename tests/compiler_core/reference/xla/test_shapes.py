"""Types as HLO writes them."""

import pytest

from compiler_core.reference.xla.shapes import bytes_of, layout_of, without_layout


@pytest.mark.parametrize(
    ("type_", "size"),
    [
        ("f32[8,16]{1,0}", 512),
        ("bf16[3]{0}", 6),
        ("pred[]", 1),
        ("s4[3]", 2),
        ("c64[2]{0}", 16),
        ("f8e4m3fn[5]", 5),
        ("(f32[2]{0:T(128)}, /*index=1*/s32[])", 12),
        ("f32[<=8]{0}", 32),
        ("()", 0),
    ],
)
def test_the_bytes_of_a_type(type_: str, size: int) -> None:
    assert bytes_of(type_) == size


def test_a_layout_is_the_order_of_dimensions_alone() -> None:
    assert layout_of("f32[8,16]{0,1:T(8,128)}") == "0,1"
    assert layout_of("f32[]") == layout_of("(f32[2]{0}, s32[])") == ""
    assert without_layout("(f32[2]{0}, s32[3,4]{1,0})") == "(f32[2], s32[3,4])"
