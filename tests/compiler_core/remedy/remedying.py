"""An entry of the why-list at a line of a snippet, and the snippet with its remedy."""

import textwrap

from compiler_core.remedy.change import Changed, RemedyRequest
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding

TORCH = "import torch\n"
JAX = "import jax\nimport jax.numpy as jnp\n"


def asked(
    source, kind, line=None, category="", framework=None, name="f", program=None, lists=(),
    *, column=None,
):  # fmt: skip
    """The entry of a kind at the line that ends with `# here`, or at the one given."""
    lines = source.splitlines()
    here = next((n for n, text in enumerate(lines, 1) if text.endswith("# here")), line)
    finding = Finding(kind, "dynamo", "it", line=here, column=column, category=category)
    own = framework or ("jax" if "import jax" in source else "torch")
    return remedied(
        RemedyRequest(Text.parse(source), finding, own, name, program, frozenset(lists))
    )


def changed(head, body, kind, **more):
    """The changed text of `body` behind the imports of `head`."""
    found = asked(head + textwrap.dedent(body), kind, **more)
    assert isinstance(found, Changed), found
    return found.source.removeprefix(head)
