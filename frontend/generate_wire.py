"""Writes frontend/src/wire.ts, the page's copy of the types in compiler_core/report/.

`python frontend/generate_wire.py` writes it; a test asserts that it is fresh.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import msgspec
from msgspec import inspect

ROOT = Path(__file__).resolve().parent.parent
WIRE = ROOT / "frontend" / "src" / "wire.ts"

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from compiler_core import inputs, report  # noqa: E402  the root joins the path above
from compiler_core.ir.ops import OPS  # noqa: E402

HEADER = "// Generated from compiler_core/report/ by frontend/generate_wire.py. Do not edit."

_COUNT = 'readonly Exclude<Options["devices"], "auto">'
# The values of Python that the page starts from, so that a default is decided in one place.
CONSTANTS: dict[str, tuple[str, object]] = {
    "SCHEMA": ("number", report.SCHEMA),
    "MAX_SOURCE_BYTES": ("number", report.MAX_SOURCE_BYTES),
    "EMPTY_REPORT": ("Report", report.Report()),
    "ROOT_GRAPH": ("Graph", report.Graph()),
    "EMPTY_PROGRAM": ("Program", report.Program("", "torch")),
    "EMPTY_MEASUREMENT": ("Measurement", report.Measurement()),
    "DEFAULT_OPTIONS": ("Options", report.Options()),
    "COMPILERS": ("readonly CompilerInfo[]", list(report.COMPILERS)),
    "INSIDES": ("readonly InsideInfo[]", list(report.INSIDES)),
    "DEVICE_COUNTS": (_COUNT + "[]", [n for n in get_args(report.Devices) if n != "auto"]),
    "INPUT_TYPES": ("readonly string[]", list(inputs.BYTES)),
    # The operations of the IR that compute nothing: they show what another value has.
    "VIEWS": ("readonly string[]", [row.name for row in OPS.values() if row.fusion == "view"]),
    "LITERALS": (
        "readonly string[]",
        [row.name for row in OPS.values() if row.fusion == "literal"],
    ),
}

SCALARS: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "unknown",
}


def typescript(t: inspect.Type) -> str:
    """The TypeScript spelling of one of msgspec's types."""
    match t:
        case inspect.Metadata():
            return typescript(t.type)
        case inspect.LiteralType():
            return " | ".join(msgspec.json.encode(v).decode() for v in t.values)
        case inspect.UnionType():
            return " | ".join(typescript(part) for part in t.types)
        case inspect.ListType() | inspect.VarTupleType():
            return _array(typescript(t.item_type))
        case inspect.TupleType():
            return f"[{', '.join(map(typescript, t.item_types))}]"
        case inspect.DictType():
            return f"Record<{typescript(t.key_type)}, {typescript(t.value_type)}>"
        case inspect.StructType():
            return t.cls.__name__
        case _ if type(t) in SCALARS:
            return SCALARS[type(t)]
    raise TypeError(f"no TypeScript spelling for {t!r}: add it to frontend/generate_wire.py")


def _array(item: str) -> str:
    return f"({item})[]" if " " in item and not item.startswith("[") else f"{item}[]"


def interface(struct: inspect.StructType) -> str:
    """One struct as an interface; its docstring as the comment."""
    omits = struct.cls.__struct_config__.omit_defaults
    lines = [f"export interface {struct.cls.__name__} {{"]
    if struct.tag_field:
        lines.append(f"  {struct.tag_field}: {msgspec.json.encode(struct.tag).decode()};")
    for f in struct.fields:
        mark = "?" if omits and not f.required else ""
        lines.append(f"  {f.encode_name}{mark}: {typescript(f.type)};")
    return "\n".join([*_comment(struct.cls.__doc__), *lines, "}"])


def _comment(doc: str | None) -> list[str]:
    if not doc or doc.startswith(("msgspec", "Struct")):
        return []
    body = [line.strip() for line in doc.strip().splitlines()]
    if len(body) == 1:
        return [f"/** {body[0]} */"]
    return ["/**", *(f" * {line}".rstrip() for line in body), " */"]


def structs(roots: Iterable[inspect.Type]) -> dict[str, inspect.StructType]:
    """Every struct that the roots reach, in the order in which it is met."""
    found: dict[str, inspect.StructType] = {}
    pending = list(roots)
    while pending:
        t = pending.pop(0)
        if isinstance(t, inspect.StructType):
            if t.cls.__name__ in found:
                continue
            found[t.cls.__name__] = t
            pending.extend(f.type for f in t.fields)
        else:
            pending.extend(_parts(t))
    return found


def _parts(t: inspect.Type) -> tuple[inspect.Type, ...]:
    match t:
        case inspect.UnionType():
            return t.types
        case inspect.ListType() | inspect.VarTupleType():
            return (t.item_type,)
        case inspect.DictType():
            return (t.key_type, t.value_type)
        case inspect.Metadata():
            return (t.type,)
    return ()


def generate() -> str:
    """The whole text of wire.ts."""
    whole, event = inspect.type_info(report.Report), inspect.type_info(report.Event)
    assert isinstance(event, inspect.UnionType)
    events = " | ".join(typescript(part) for part in event.types)
    registries = map(inspect.type_info, (report.CompilerInfo, report.InsideInfo))
    roots = [whole, event, inspect.type_info(report.Comparison), *registries]
    parts = [HEADER, *(interface(s) for s in structs(roots).values())]
    parts.append(f"export type Event = {events};")
    parts += [
        f"export const {name}: {kind} = {msgspec.json.encode(value).decode()};"
        for name, (kind, value) in CONSTANTS.items()
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    WIRE.write_text(generate(), encoding="utf-8")
    print(f"wrote {WIRE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
