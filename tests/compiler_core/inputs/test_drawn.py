"""How the values of a tensor are drawn, as it is written behind its type and shape."""

import pytest

from compiler_core.inputs import Drawn, InputsError, InputSpec, calls


def spec(text):
    ((found,),) = (call.inputs.positional for call in calls(text))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "f32[4,8]~uniform(0,1)",
        "bf16[]~normal(0,0.02)",
        "i64[B=32]~uniform(0,1000)",
        "f64[2]~constant(1e-06)",
    ],
)
def test_it_is_read_and_printed(text):
    assert isinstance(spec(text), InputSpec)
    assert str(spec(text)) == text
    assert spec(f" {text.replace('~', ' ~ ').replace(',', ' , ')} ") == spec(text)


def test_it_stands_among_other_inputs():
    (call,) = calls("f(f32[4]~uniform(0,1), i64[4]~constant(3), scale=f32[]~normal(0,1))")
    assert [each.drawn for each in call.inputs.specs] == [
        Drawn("uniform", (0.0, 1.0)),
        Drawn("constant", (3.0,)),
        Drawn("normal", (0.0, 1.0)),
    ]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("f32[4]~", "is not a distribution"),
        ("f32[4]~gamma(1,2)", '"gamma" is not a distribution'),
        ("f32[4]~uniform", "is no uniform distribution"),
        ("f32[4]~uniform(1,0)", "is no uniform distribution"),
        ("f32[4]~normal(0,0)", "is no normal distribution"),
        ("f32[4]~constant(x)", "is no constant distribution"),
        ("i64[4]~normal(0,1)", "i64 cannot hold"),
        ("u8[4]~uniform(0,300)", "u8 cannot hold"),
        ("c64[4]~uniform(0,1)", "c64 cannot hold"),
    ],
)
def test_what_is_wrong_is_one_sentence(text, wrong):
    with pytest.raises(InputsError) as raised:
        calls(text)
    assert wrong in raised.value.wrong
    assert raised.value.remedy


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_values_are_of_the_distribution(framework):
    from compiler_core.snippet.tensors import maker

    make = maker(framework, "cpu")
    uniform, normal = make(spec("f32[4000]~uniform(2,3)")), make(spec("f32[4000]~normal(5,0.5)"))
    assert uniform.min() >= 2 and uniform.max() < 3 and uniform.max() > 2.9
    assert abs(float(normal.mean()) - 5) < 0.1 and 0.4 < float(normal.std()) < 0.6
    whole = make(spec("u8[4000]~uniform(250,256)"))
    assert sorted(set(whole.tolist())) == [250, 251, 252, 253, 254, 255]
    assert set(make(spec("bool[9]~constant(1)")).tolist()) == {True}
    assert make(spec("bf16[3]~constant(0.5)")).tolist() == [0.5] * 3
