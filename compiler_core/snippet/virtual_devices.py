"""The number of virtual devices that JAX divides the CPU into, for programs that are sharded.

The number must be set before JAX creates its client, which it does once in a process.
"""

from compiler_core.errors import SnippetError
from compiler_core.report import MAX_DEVICES, Options
from compiler_core.snippet.jax_devices import stay_on_cpu
from compiler_core.snippet.meshes import Mesh, Meshes
from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.private import has_started

# The inside that shows how a program is sharded.
_INSIDE = "sharding"


def count() -> int:
    """The number of devices that JAX has, or will have once it starts; does not start it."""
    import jax

    if has_started():
        return int(jax.device_count())
    return max(1, int(jax.config.jax_num_cpu_devices))


def make(meshes: Meshes, options: Options, emit: Emit) -> None:
    """Sets the number of devices to what the options say, else to what the snippet's meshes need;
    a notice says so where it is more than one. Raises SnippetError if JAX has started with another
    number."""
    if "jax" not in meshes.source.text:
        return
    number, text = wanted(meshes, options)
    if number > 1:
        stay_on_cpu()
        _set(number)
    if text:
        notice(emit, text, meshes.largest.first if meshes.largest else None)


def wanted(meshes: Meshes, options: Options) -> tuple[int, str]:
    """The number of devices, and, if it is more than one, a sentence that says what decided it and
    what it means for the figures."""
    number, by = _number(meshes, options)
    return number, f"{number} devices, {by}: {_SHARED}" if number > 1 else ""


_SHARED = "they share this machine's CPU, and figures are those of one device"


def _number(meshes: Meshes, options: Options) -> tuple[int, str]:
    if options.devices != "auto":
        return options.devices, "as asked"
    if meshes.set_by_snippet:
        return min(meshes.set_by_snippet, MAX_DEVICES), "as the snippet says"
    if meshes.largest is not None:
        devices = min(meshes.largest.devices, MAX_DEVICES)
        return devices, f"as this mesh of {meshes.largest} takes"
    if meshes.takes_all and _INSIDE in options.insides:
        return MAX_DEVICES, "assumed, since the snippet takes as many as there are"
    return 1, ""


def _set(number: int) -> None:
    import jax

    if count() != number:
        try:
            jax.config.update("jax_num_cpu_devices", number)
        except RuntimeError as error:
            raise SnippetError(
                f"JAX has started with {_several(count())} in this process, "
                f"and cannot have {number}",
                remedy="explore it in a process of its own, before any array is made",
            ) from error


def too_few(error: SnippetError, meshes: Meshes) -> SnippetError:
    """The error of a snippet that makes a mesh of more devices than there are, with a sentence that
    says so and the remedy; any other error is returned as it is."""
    mesh = meshes.at(error.line)
    if mesh is None or mesh.devices <= count():
        return error
    have = f"{_several(count())} {'is' if count() == 1 else 'are'} there"
    message = f"this snippet makes a mesh of {mesh}, {mesh.devices} devices, and {have}"
    return SnippetError(message, line=error.line, remedy=_remedy(mesh), traceback=error.traceback)


def _several(number: int) -> str:
    return "one device" if number == 1 else f"{number} devices"


def _remedy(mesh: Mesh) -> str:
    if mesh.devices > MAX_DEVICES:
        return f"make the mesh smaller: at most {MAX_DEVICES} devices can be had"
    return f"choose {mesh.devices} devices"
