"""A program as StableHLO for IREE: what jax.jit gives XLA, with all of its inputs, and with the
captured operations as locations, `loc("ops:3,4")`, which IREE carries along."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from compiler_core.capture.captured import Captured
from compiler_core.interop.packed import is_key
from compiler_core.reference.xla import stablehlo
from compiler_core.reference.xla.bound import Bound, bind
from compiler_core.reference.xla.places import Places
from compiler_core.report import Artifact, Framework
from compiler_core.wording import counted


@dataclass(frozen=True)
class Given:
    """A module, as it is given on and as it is shown, and how a program's inputs become its
    function's arguments."""

    text: str
    shown: tuple[Artifact, ...]
    bound: Bound

    def write(self, file: Path) -> None:
        file.write_text(self.text)

    def flat(self, inputs: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """The arguments as numpy arrays, in order."""
        return [_array(each) for each in jax.tree.leaves(self.bound.prepare(inputs))]


def given(captured: Captured, framework: Framework) -> Given | str:
    """The module; or, in one sentence, why the program is none."""
    found = bind(captured, framework)
    if isinstance(found, str):
        return f"IREE compiles the StableHLO that XLA is given: {found}"
    if captured.session is not None:
        return _several(len(found))
    (bound,) = found
    args, kwargs = jax.tree.map(_anywhere, bound.prepare(captured.arguments))
    with bound.tracing():
        # Arguments that are not used would be left out.
        lowered = jax.jit(bound.function, keep_unused=True).lower(*args, **kwargs)
        text = lowered.as_text(debug_info=True)
    places = Places(framework, captured.nodes)
    return Given(
        undivided(stablehlo.located(text, places)), (stablehlo.shown(text, places),), bound
    )


# JAX's sharding of values (such as the words of a random key) over a mesh without axes, which is
# one device. IREE does not know Shardy's dialect.
_MESH = re.compile(r"^ *sdy\.mesh @empty_mesh .*\n", re.MULTILINE)
_CONSTRAINT = re.compile(r"= sdy\.sharding_constraint (%\S+) <@empty_mesh, .*?> : (tensor<[^>]*>)")


def undivided(text: str) -> str:
    """The module without its annotations of shardings, which are over no devices here."""
    return _MESH.sub("", _CONSTRAINT.sub(r"= stablehlo.reshape \1 : (\2) -> \2", text))


def _several(graphs: int) -> str:
    return (
        f"IREE compiles one module alone, and this program is {counted(graphs, 'graph')} with "
        "Python around; a look into StableHLO has each as a module, which IREE compiles where it "
        "is pasted"
    )


def _anywhere(leaf: Any) -> Any:
    """An array that is on a device would have that in its type, in a dialect of its own."""
    if not isinstance(leaf, jax.Array):
        return leaf
    weak = jax.typeof(leaf).weak_type
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=weak)


def _array(leaf: Any) -> np.ndarray[Any, Any]:
    """A typed key is the array of its words."""
    return np.asarray(jax.random.key_data(leaf) if is_key(jax.typeof(leaf)) else leaf)
