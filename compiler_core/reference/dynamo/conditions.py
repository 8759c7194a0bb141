"""The conditions that Dynamo guards, as a person would write them.

Dynamo's text of a guard is the condition, two spaces, and after a hash the user's line and its
position, as in `L['n'] == 3    # y = x * n  # <snippet>:7 in f (HINT: ...)`. Texts in any other
form are kept as they are.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import NamedTuple

from compiler_core.reference.dynamo.guarded import NOTHING, Guarded, named
from compiler_core.reference.dynamo.reads import HELD, first_read
from compiler_core.reference.dynamo.settings import settings_of
from compiler_core.snippet.source import is_own

_PLACE = re.compile(r"# (?P<file>[^#\s]+):(?P<line>\d+) in ")
_COMMENT = re.compile(r"\s{2,}# .*", re.DOTALL)
_LOCAL = re.compile(r"\bL\['(\w+)'\]")
_GLOBAL = re.compile(r"\bG\['(\w+)'\]")
_ITEM = re.compile(rf"{HELD}\['([^']+)'\]")
_BUILTIN = re.compile(r"\b__builtins_dict___\d+\['(\w+)'\]")
_IMPORT = re.compile(r"\b__import_(\w+)")
_BEFORE = re.compile(r"\b___stack(\d+)\b")
_KEY = re.compile(r"list\(dict\.keys\((.+?)\)\)\[(\d+)\]")
_CELL = re.compile(r"([\w.]+)\.__closure__\[(\d+)\]\.cell_contents")
_SIZE = re.compile(r"\.(size|stride)\(\)\[(\d+)\]")


def names(text: str) -> str:
    """`text` with Dynamo's names of values replaced by the snippet's: `L['self']._modules['fc'].k`
    becomes `self.fc.k`."""
    text = _GLOBAL.sub(r"\1", _LOCAL.sub(r"\1", text))
    text = _BUILTIN.sub(r"\1", _ITEM.sub(r".\1", text))
    text = _IMPORT.sub(lambda m: m[1].replace("_dot_", "."), text)
    text = _BEFORE.sub(r"value \1 from before the break", text)
    text = _KEY.sub(r"key \2 of \1", text)
    text = _CELL.sub(r"variable \2 that \1 closes over", text)
    return _SIZE.sub(r".\1(\2)", text)


@dataclass(frozen=True)
class Condition:
    """A condition `text` that must hold, or the function is compiled again. `value` is the value
    that it requires, if any. `line` is the snippet's line that introduced it; for a condition that
    a library's code introduced, the line that called the library, or the line that first reads the
    guarded value (`is_read`)."""

    kind: str
    text: str
    value: str = ""
    line: int | None = None
    is_read: bool = False


def conditions(
    kind: str, part: str, code: CodeType, heard: Mapping[str, Guarded] = NOTHING
) -> Iterator[Condition]:
    """Parses one of the texts of a guard of kind `kind` on a compilation of `code`; `heard` is what
    is known of guards beside their texts. The guard of torch's settings has them all in one."""
    settings = settings_of(bare(part)).values() if kind == "GLOBAL_STATE" else ()
    for each in settings:
        yield Condition("state", f"{each.what} is {each.value}", each.value)
    if not settings:
        yield _condition(kind, part, code, heard)


def _condition(kind: str, part: str, code: CodeType, heard: Mapping[str, Guarded]) -> Condition:
    title, read = _row(kind, part)
    text, value = read(bare(part))
    own, guarded = line_of(part), heard.get(part, Guarded())
    first = guarded.line or first_read(code, bare(part))
    value = (title == "identity" and guarded.name) or value
    return Condition(title, text, value, first if own is None else own, own is None)


def _row(kind: str, part: str) -> tuple[str, "Reader"]:
    """Among the guards of a whole function, which are its sizes, some compare objects."""
    other = kind == "SIZES" and not _SIZED.search(part)
    return _KINDS.get("" if other else kind, ("condition", _compared))


def bare(part: str) -> str:
    """The condition without its comments."""
    return _COMMENT.sub("", part).strip()


def line_of(part: str) -> int | None:
    """The snippet's line that the text names last; None if it names none."""
    own = [int(m["line"]) for m in _PLACE.finditer(part) if is_own(m["file"])]
    return own[-1] if own else None


_SIZED = re.compile(r"\.(?:size|stride|storage_offset)\(\)|\b[su]\d+\b")
Reader = Callable[[str], tuple[str, str]]
_TENSOR = re.compile(
    r"check_tensor\((?P<name>.+), (?P<type>\w+), DispatchKeySet\((?P<keys>.*?)\), "
    r"torch\.(?P<dtype>\w+), device=(?P<device>\w+), requires_grad=(?P<grad>\w+), "
    r"size=\[(?P<size>.*?)\], stride=\[(?P<stride>.*?)\]\)"
)
_EQUAL = re.compile(r".+? (?:==|is) (?P<value>.+)")


def _tensor(text: str) -> tuple[str, str]:
    found = _TENSOR.fullmatch(text)
    if found is None:
        return _compared(text)
    size, stride = (found[part].replace("None", "any") for part in ("size", "stride"))
    grad = "with" if found["grad"] == "True" else "without"
    a = "an" if found["dtype"].startswith("int") else "a"
    shape = (
        f"{names(found['name'])} is {a} {found['dtype']} tensor of size [{size}], {grad} gradient"
    )
    return f"{shape}, strides [{stride}]", f"[{size}]"


def _compared(text: str) -> tuple[str, str]:
    found = _EQUAL.fullmatch(text)
    return names(text), names(found["value"]) if found else ""


def _matching(*forms: "_Form") -> Reader:
    """Reads texts of the given forms."""
    compiled = [(re.compile(form.pattern), form) for form in forms]

    def read(text: str) -> tuple[str, str]:
        for pattern, form in compiled:
            if found := pattern.match(text):
                groups = {k: names(v or "") for k, v in found.groupdict().items()}
                return form.sentence.format(**groups), named(form.value.format(**groups))
        return _compared(text)

    return read


class _Form(NamedTuple):
    """A pattern of texts, the sentence that its groups fill, and the value that is required."""

    pattern: str
    sentence: str
    value: str = ""


_TYPE = _Form(
    r"___check_type_id\((?P<name>.+), \d+\), type=<class '(?:__main__\.)?(?P<type>.+)'>",
    "{name} is of type {type}", "{type}",
)  # fmt: skip
_ID = _Form(r"___check_obj_id\((?P<name>.+), \d+\)(?:, type=(?P<of>.+))?",
            "{name} is the same object", "{of}")  # fmt: skip
_HAS = _Form(r"not ___dict_contains\('(?P<key>\w+)', (?P<name>.+)\.__dict__\)",
             "{name} has no attribute {key} of its own", "none")  # fmt: skip
_LACKS = _Form(r"not ___dict_contains\('(?P<key>\w+)', (?P<name>.+)\)",
               "{name} has no item {key}", "none")  # fmt: skip
_ALIAS = _Form(r"check_no_aliasing\((?P<names>.+)\)", "{names} are different tensors")
_UNMARKED = _Form(r"hasattr\((?P<name>.+), '_dynamo_\w+'\) == False",
                  "sizes of {name} have no other marks", "none")  # fmt: skip
_OF_SET = "sizes of {name} that are marked are of {set}"
_MARKED = _Form(r"\(\(getattr\((?P<name>.+?), '\w+', set\(\)\)\.issubset\((?P<set>.+?)\)\)",
                _OF_SET, "{set}")  # fmt: skip
# In the form that torch 2.11 writes.
_INDICES = _Form(r"\(\((?P<name>.+?)\._dynamo_\w+\.issubset\((?P<set>.+?)\)\)", _OF_SET, "{set}")
_MODES = _Form(r"___check_torch_function_mode_stack", "no other torch function mode is on")
_DEVICE = _Form(r"utils_device\.CURRENT_DEVICE", "the default device is the same")
_HOOKS = _Form(r".*top_saved_tensors_hooks", "there are no hooks on saved tensors")

# By Dynamo's name of a guard's kind: its title for people, and how its text is parsed.
_KINDS: dict[str, tuple[str, Reader]] = {
    "TENSOR_MATCH": ("tensor", _tensor),
    "EQUALS_MATCH": ("value", _compared),
    "TRUE_MATCH": ("value", _compared),
    "FALSE_MATCH": ("value", _compared),
    "NONE_MATCH": ("value", _compared),
    "LENGTH_CHECK": ("length", _compared),
    "TYPE_MATCH": ("type", _matching(_TYPE)),
    "ID_MATCH": ("identity", _matching(_ID)),
    "DICT_CONTAINS": ("attribute", _matching(_HAS, _LACKS)),
    "NO_TENSOR_ALIASING": ("aliasing", _matching(_ALIAS)),
    "DIMENSION_DYNAMIC_MARKING_GUARD": ("marks", _matching(_UNMARKED, _MARKED)),
    "NO_HASATTR": ("marks", _matching(_UNMARKED)),
    "DYNAMIC_INDICES": ("marks", _matching(_INDICES)),
    "GLOBAL_STATE": ("state", _compared),
    "TORCH_FUNCTION_MODE_STACK": ("state", _matching(_MODES)),
    "DEFAULT_DEVICE": ("state", _matching(_DEVICE)),
    "LAMBDA_GUARD": ("state", _matching(_HOOKS)),
    "SIZES": ("sizes", _compared),
}
# The order of the kinds in a table.
ORDER = ("sizes", "tensor", "value", "length", "marks", "type", "condition", "aliasing", "state",
         "attribute", "identity")  # fmt: skip
