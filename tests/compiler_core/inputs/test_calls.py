"""Text -> input specs, and one sentence for each mistake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler_core.inputs import BYTES, InputsError, InputSpec, calls


def parse(text):
    """The tensors of the only call."""
    return tuple(spec for call in calls(text) for spec in call.inputs.positional)


def test_it_works():
    assert parse("f32[32,512], f32[512], i64[]") == (
        InputSpec("f32", (32, 512)),
        InputSpec("f32", (512,)),
        InputSpec("i64", ()),
    )


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_blank_text_is_no_inputs(blank):
    assert parse(blank) == ()


def test_space_is_free():
    assert parse(" f32 [ 2 , 3 ]\n,bool[ ] ") == parse("f32[2,3],bool[]")


@given(
    st.lists(
        st.builds(
            InputSpec,
            st.sampled_from(sorted(BYTES)),
            st.lists(st.integers(0, 40), max_size=4).map(tuple),
        ),
        max_size=64,
    )
)
def test_a_spec_prints_as_it_is_read(specs):
    assert parse(", ".join(map(str, specs))) == tuple(specs)


def test_a_size_that_varies_has_a_name_and_a_value():
    x, y = parse("f32[B=32,512], i64[ B , T1=7]")
    assert (x.shape, x.names) == ((32, 512), ("B", ""))
    assert (y.shape, y.names) == ((32, 7), ("B", "T1"))
    assert parse(f"{x}, {y}") == (x, y) and str(y) == "i64[B=32,T1=7]"


@given(st.text("f32[],. 0\n1éB=(){};:'-", max_size=30))
def test_any_text_is_read_or_told_where_it_is_wrong(text):
    try:
        calls(text)
    except InputsError as error:
        assert 1 <= error.column <= len(text) + 1


WRITTEN = [
    "f32[2,3], 4, 0.5, True, None, 'mean'",
    "x=f32[2], flag=False",
    "[f32[2], f32[3]], (f32[2],), ()",
    "{'w': f32[2,3], 'b': {'c': -1}}",
    "attend(f32[2,8,64], num_heads=4)",
    "Net(16, hidden=32)(f32[4,16])",
    "GPT(Config(n_layer=2))(i64[2,8])",
    "Net()()",
    "f(f32[B=32,4]); g(f32[B=32], torch.float32)",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_calls_print_as_they_are_read(text):
    assert "; ".join(map(str, calls(text))) == text


def test_a_class_has_the_arguments_of_its_constructor_and_its_inputs():
    first, second = calls("Net(16)(f32[4,16]); f(i64[])")
    assert (first.name, str(first.constructor), str(first.inputs)) == ("Net", "16", "f32[4,16]")
    assert (second.name, second.constructor, str(second.inputs)) == ("f", None, "i64[]")


def test_what_is_made_among_other_inputs_is_an_input():
    (call,) = calls("Config(), f32[2]")
    assert call.name == "" and len(call.inputs.positional) == 2


def test_limits_count_the_tensors_inside_of_others():
    with pytest.raises(InputsError, match="give at most 64"):
        calls("f([" + ", ".join(["f32[]"] * 65) + "])")


SENTENCES = {
    "f(f32[2]": '2: "(f32[2]" is not closed; end it with ")".',
    "f(f32[2]) g": '11: "g" does not belong there; put a comma between two inputs.',
    "x=1, 2": '6: "2" follows a keyword; put inputs without a name first.',
    "{f32[2]}": '8: "}" does not belong there; write {"name": f32[32,512]}.',
    "[x=f32[2]]": '1: "[x=f32[2]]" has a keyword inside; write {"name": f32[32,512]} for a dict.',
    "f32[3,": '1: "f32[3," is not closed; end it with "]", as in f32[32,512].',
    "f32[3,]": "7: a dimension is missing; write whole numbers, as in f32[32,512].",
    "u8": '3: the shape of "u8" is missing; write u8[] for a scalar or u8[32,512] for a matrix.',
    "f32[2], ": "9: an input is missing; write a type and a shape, as in f32[32,512].",
    ", f32[2]": '1: ", f32[2]" is not an input; write a type and a shape, as in f32[32,512].',
    "f32[-1]": '5: "-1" is not a dimension; write whole numbers, as in f32[32,512].',
    "f32[2, 1.5]": '7: "1.5" is not a dimension; write whole numbers, as in f32[32,512].',
    "f32[2, x=3]": '7: "x" is not a name of a size; write a capital letter, then small letters or '
    "digits, as in f32[B=32,512].",
    "f32[B,2]": "5: B has no value; write B=32 where it comes first.",
    "f32[B=3,2], f32[B=4]": "17: B is 3 and 4; give a size that varies one value.",
    "f32[B=1]": "5: B is 1, and a size that varies is at least 2; write 1 without a name.",
    "f32[2] f32[2]": '8: "f32[2]" does not belong there; put a comma between two inputs.',
    "f32[2]]": '7: "]" does not belong there; put a comma between two inputs.',
}


@pytest.mark.parametrize("text", SENTENCES)
def test_a_mistake_is_one_sentence(text):
    with pytest.raises(InputsError) as caught:
        parse(text)
    assert str(caught.value) == f"inputs, column {SENTENCES[text]}"


def test_an_unknown_type_is_told_the_types():
    with pytest.raises(
        InputsError, match='column 9: "c128" is not a type; choose one of f64, f32,'
    ):
        parse("f32[2], c128[2]")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (",".join(["f32[]"] * 65), "give at most 64"),
        ("f32[536870913]", "give an input of at most 2,147,483,648 bytes"),
        ("u8[2000000000],u8[2000000000],u8[2000000000]", "give at most 4,294,967,296 bytes in all"),
        ("f32[" + ",".join("1" * 17) + "]", "17 dimensions are too many"),
        ("f32[" + "9" * 5000 + "]", "is not a dimension"),
    ],
)
def test_there_are_limits(text, reason):
    with pytest.raises(InputsError, match=reason):
        parse(text)


def test_the_limits_themselves_are_allowed():
    assert len(parse(",".join(["f32[]"] * 64))) == 64
    assert [spec.nbytes for spec in parse("u8[2147483648],u8[2147483648]")] == [2**31] * 2
