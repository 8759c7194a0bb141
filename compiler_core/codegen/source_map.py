"""Line maps and readable texts of what Triton compiles to.

Every level below Triton's source carries locations in that source: MLIR as `loc(#loc5)`, LLVM IR as
`!dbg !12`, PTX, AMDGCN and SASS as directives before instructions. `read` removes them, which makes
the text easier to read, and returns for each remaining line the source line that it comes from; for
inlined functions, that of the outermost call.
"""

import re
from collections.abc import Callable, Iterable

from compiler_core.codegen.writer import Source
from compiler_core.report import Language

# A line of the text without locations, and the line of the Triton source (1-based), 0 for none.
Located = tuple[str, int]

LANGUAGES: dict[str, Language] = {
    "ttir": "mlir",
    "ttgir": "mlir",
    "llir": "llvm",
    "ptx": "ptx",
    "amdgcn": "text",
    "sass": "sass",
}


def read(kind: str, text: str, file: str) -> tuple[Located, ...]:
    """`text` of level `kind` without its locations, each line with its line in `file`."""
    return tuple(_READERS[kind](text, file))


def mapped(kind: str, located: Iterable[Located], source: Source) -> Source:
    """The text, each line with the origins of the line of `source` that it comes from."""
    lines, nodes = [], []
    for line, at in located:
        lines.append(line)
        nodes.append(source.nodes[at - 1] if 0 < at <= len(source.nodes) else ())
    return Source(source.name, LANGUAGES[kind], "\n".join(lines) + "\n", (*nodes, ()))


# -- MLIR

_MLIR_DEFINITION = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_MLIR_USE = re.compile(r" loc\((#loc\d*|callsite\([^()]*\)|unknown|\"[^\"]*\"\([^()]*\))\)")


def _mlir(text: str, file: str) -> list[Located]:
    matches = (_MLIR_DEFINITION.match(line) for line in text.splitlines())
    definitions: dict[str, str] = {m[1]: m[2] for m in matches if m}
    known: dict[str, int] = {}
    result = []
    for line in text.splitlines():
        if _MLIR_DEFINITION.match(line):
            continue
        uses = _MLIR_USE.findall(line)
        at = _mlir_line(uses[-1], definitions, file, known) if uses else 0
        result.append((_MLIR_USE.sub("", line), at))
    return _with_openings(result)


def _with_openings(lines: list[Located]) -> list[Located]:
    """The location of an operation with a region is printed after its closing brace; it also
    applies to the opening line."""
    result, opened = list(lines), list[int]()
    for number, (line, at) in enumerate(lines):
        if line.lstrip().startswith("}") and opened:
            first = opened.pop()
            result[first] = (result[first][0], result[first][1] or at)
        if line.endswith("{"):
            opened.append(number)
    return result


def _mlir_line(location: str, definitions: dict[str, str], file: str, known: dict[str, int]) -> int:
    """The outermost line of `file` in a location: the caller is named last."""
    if location in known:
        return known[location]
    known[location] = 0
    own = re.findall(rf'"{re.escape(file)}":(\d+)', location)
    at = int(own[-1]) if own else 0
    for reference in re.findall(r"#loc\d*", location):
        if reference != location:
            at = _mlir_line(reference, definitions, file, known) or at
    if location in definitions:
        at = _mlir_line(definitions[location], definitions, file, known) or at
    known[location] = at
    return at


# -- LLVM IR

_LLVM_NODE = re.compile(r"^(!\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_LLVM_USE = re.compile(r",? !dbg (!\d+)")


def _llvm(text: str, file: str) -> list[Located]:
    nodes = {m[1]: m[3] for line in text.splitlines() if (m := _LLVM_NODE.match(line))}
    result = []
    for line in text.splitlines():
        if line.startswith(("!", "source_filename")):
            continue
        use = _LLVM_USE.search(line)
        defines = line.startswith("define")
        at = _llvm_line(use[1], nodes) if use and not defines else 0
        result.append((_LLVM_USE.sub("", line), at))
    return _without_tail(result)


def _llvm_line(node: str, nodes: dict[str, str]) -> int:
    """The line of the outermost location: in the end every function is inlined into the kernel."""
    while outer := re.search(r"inlinedAt: (!\d+)", nodes.get(node, "")):
        node = outer[1]
    line = re.search(r"line: (\d+)", nodes.get(node, ""))
    return int(line[1]) if line else 0


# -- assembly

_LOC = re.compile(r"^\s*\.loc\s+\d+ (\d+)[^/;]*(?://|;)(.*)$")
_DEBUG_LABEL = re.compile(r"^(\$L__|\.?L)(tmp|func_begin|func_end|__unnamed)\w*:")
_DEBUG_SECTION = re.compile(r"^\s*\.section\s+\"?\.debug")
_FILE = re.compile(r"^\s*\.file\s")


def _assembly(text: str, file: str) -> list[Located]:
    """Assembly: LLVM appends the inlining chain to each .loc, the outermost caller last."""
    own, result, at = re.compile(rf"{re.escape(file)}:(\d+)"), [], 0
    for line in text.splitlines():
        if _DEBUG_SECTION.match(line):
            break
        if loc := _LOC.match(line):
            chain = [int(n) for n in own.findall(loc[2])]
            at = chain[-1] if chain else 0
        elif not _DEBUG_LABEL.match(line) and not _FILE.match(line):
            result.append((line, at if line.startswith(("\t", " ")) else 0))
        if line.strip() in ("}", "ret;", "s_endpgm"):
            at = 0
    return _without_tail(result)


_SASS_LINE = re.compile(r'//## File "([^"]*)", line (\d+)')
_SASS_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*$")


def _sass(text: str, file: str) -> list[Located]:
    """SASS: nvdisasm prints a location before the instructions that it applies to."""
    result: list[Located] = []
    at = 0
    for line in text.splitlines():
        if found := _SASS_LINE.search(line):
            at = int(found[2]) if found[1].endswith(file) else 0
        elif instruction := _SASS_INSTRUCTION.match(line):
            result.append((f"    {instruction[1]}", at))
        elif line.startswith(".") and not line.startswith(".section"):
            result.append((line, 0))
    return result


def outermost(ptx: str, file: str) -> str:
    """`ptx` with each .loc replaced by that of the outermost call, which ptxas then writes into the
    line table of the machine code: it does not keep inlining chains."""
    number = re.search(rf'\.file\s+(\d+) .*"{re.escape(file)}"', ptx)
    if number is None:
        return ptx
    own = re.compile(rf"{re.escape(file)}:(\d+):(\d+)")

    def replaced(match: re.Match[str]) -> str:
        chain = own.findall(match[1])
        return f".loc {number[1]} {' '.join(chain[-1])} " if chain else match[0]

    return re.sub(r"\.loc\s+\d+ \d+ \d+\s*//(.*)", replaced, ptx)


def _without_tail(lines: Iterable[Located]) -> list[Located]:
    """The lines without trailing empty ones, and with runs of empty lines reduced to one."""
    result: list[Located] = []
    for line, at in lines:
        if line.strip() or (result and result[-1][0]):
            result.append((line if line.strip() else "", at))
    while result and not result[-1][0]:
        result.pop()
    return result


_READERS: dict[str, Callable[[str, str], list[Located]]] = {
    "ttir": _mlir,
    "ttgir": _mlir,
    "llir": _llvm,
    "ptx": _assembly,
    "amdgcn": _assembly,
    "sass": _sass,
}
