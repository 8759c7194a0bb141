"""Why a graph is not replayed as a CUDA graph, in plain words. An unknown reason is shown as it
is."""

import re

_BEGINS = re.compile(r"(?:skipping|disabling) cudagraphs due to ")
# Where torch has found the reason: a stack, in which the last line of the snippet counts.
_FOUND = re.compile(r"\.? *Found from[ :]*(?P<stack>.*)", re.DOTALL)
_LINE = re.compile(r'File "<snippet>", line (\d+)')
# torch's reasons (torch/_inductor: cudagraph_utils.py, compile_fx.py, output_code.py, lowering.py),
# and what they mean.
_WORDS = (
    (r"multiple devices:", "none of its tensors is on a GPU"),
    (r"multiple devices: (.+)", r"its tensors are on several devices: \1"),
    (r"cpu device \((.+?)\)", r"\1 is on the CPU, which no CUDA graph can read"),
    (
        r"mutated inputs(?: \((\d+) instances?\))?",
        "it writes into what it is given, and the next call may give it another tensor",
    ),
    (r"input storage mutation(?: \(\d+ instances?\))?", "it gives one of its inputs other memory"),
    (r"non-Tensor inputs", "it is given something that is no tensor"),
    (
        r"graph with symbolic shapes inputs.*",
        "it has sizes that are symbols, and triton.cudagraph_skip_dynamic_graphs is set",
    ),
    (r"incompatible op (\S+)", r"\1 cannot be replayed"),
    (r"control flow operator: (\S+?)\.?", r"\1 chooses while it runs"),
    (
        r"cudagraph capture requires the caching allocator.*",
        "PyTorch's caching of GPU memory is switched off, and a graph needs its memory kept",
    ),
)


def in_words(reason: str) -> str:
    """torch's reason in plain words, with the line of the snippet where torch knows it."""
    found = _FOUND.search(reason)
    bare = _BEGINS.sub("", reason[: found.start()] if found else reason).strip()
    matches = ((re.fullmatch(pattern, bare), words) for pattern, words in _WORDS)
    meant = next((match.expand(words) for match, words in matches if match), bare)
    lines = _LINE.findall(found["stack"]) if found else ()
    return f"{meant} (line {lines[-1]})" if lines else meant
