"""docs/report.md says what compiler_core/report/ says."""

import msgspec

from compiler_core import report
from scripts import report_doc


def test_the_reference_is_fresh() -> None:
    written = report_doc.DOCUMENT.read_text()
    assert written == report_doc.whole(), "stale: make types"


def test_every_field_of_every_type_is_documented() -> None:
    text = report_doc.generate()
    structs = [
        cls
        for cls in vars(report).values()
        if isinstance(cls, type) and issubclass(cls, msgspec.Struct) and cls is not msgspec.Struct
    ]
    for cls in structs:
        section = text.split(f"### {cls.__name__}\n", 1)[1].split("\n### ", 1)[0]
        for field in msgspec.structs.fields(cls):
            assert f"| `{field.encode_name}` |" in section, f"{cls.__name__}.{field.name}"
