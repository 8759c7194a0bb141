"""The page's wire types are those of compiler_core.report."""

from frontend import generate_wire


def test_wire_types_are_fresh() -> None:
    written = generate_wire.WIRE.read_text(encoding="utf-8")
    assert written == generate_wire.generate(), "stale: run python frontend/generate_wire.py"


def test_every_event_has_its_tag() -> None:
    text = generate_wire.generate()
    assert 'type: "stage_done";' in text
    assert "from: string;" in text, "FusionRefusal.from_ is written as `from`"
