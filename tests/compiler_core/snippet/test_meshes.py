"""How many devices a snippet's meshes take, as its text says it."""

import pytest

from compiler_core import report
from compiler_core.errors import SnippetError
from compiler_core.snippet import virtual_devices
from compiler_core.snippet.meshes import Meshes
from compiler_core.snippet.source import Source
from tests.compiler_core.snippets import explore

NAMES = "import jax\nN = 4\nSHAPE = (N, 2)\n"


def meshes(text: str) -> Meshes:
    return Meshes(Source.parse(NAMES + text))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ('mesh = jax.make_mesh((4, 2), ("a", "b"))', (4, 2)),
        ('mesh = jax.make_mesh(SHAPE, ("a", "b"))', (4, 2)),
        ('mesh = jax.make_mesh((N * 2,), ("a",))', (8,)),
        ('mesh = jax.make_mesh(axis_shapes=(2, 2), axis_names=("a", "b"))', (2, 2)),
        ('mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))', (4, 2)),
        ('mesh = Mesh(np.array(jax.devices()).reshape((2, 3)), ("a", "b"))', (2, 3)),
        ('mesh = Mesh(np.asarray(jax.local_devices()).reshape(-1, 2), ("a", "b"))', (1, 2)),
        ('mesh = Mesh(mesh_utils.create_device_mesh((2, 2)), ("a", "b"))', (2, 2)),
        ('mesh = Mesh(jax.devices()[:4], ("a",))', (4,)),
        ('mesh = jax.make_mesh((jax.device_count() // 2, 2), ("a", "b"))', (1, 2)),
    ],
)
def test_the_sizes_of_a_mesh_are_read_from_the_text(text, sizes):
    (found,) = meshes(text).all
    assert (found.sizes, found.first) == (sizes, 4)


@pytest.mark.parametrize(
    "text",
    [
        "mesh = jax.make_mesh((1,), ('a',))",
        "mesh = Mesh(np.array(jax.devices()[:1]), ('a',))",
        "mesh = Mesh(np.array(jax.devices()), ('a',))",
        "x = jnp.ones((8, 4)).reshape(4, 8)",
    ],
)
def test_what_one_device_is_enough_for_takes_none(text):
    assert meshes(text).all == ()


def test_the_largest_of_several_meshes_counts():
    two = "a = jax.make_mesh((2,), ('x',))\nb = jax.make_mesh((3, 2), ('x', 'y'))"
    largest = meshes(two).largest
    assert largest is not None and (str(largest), largest.devices, largest.first) == ("3x2", 6, 5)


@pytest.mark.parametrize(
    "text",
    [
        'os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=6"',
        'jax.config.update("jax_num_cpu_devices", 6)',
    ],
)
def test_a_snippet_may_say_the_number_itself(text):
    assert meshes(text).set_by_snippet == 6


@pytest.mark.parametrize(
    "text", ["jax.pmap(f)(x)", "@jax.pmap\ndef f(x): pass", "n = jax.device_count()"]
)
def test_what_takes_as_many_devices_as_there_are_is_known(text):
    assert meshes(text).takes_all
    assert not meshes("jax.jit(f)(x)").takes_all


def wanted(text: str, **options) -> tuple[int, str]:
    return virtual_devices.wanted(meshes(text), report.Options(**options))


FOUR_BY_TWO = "mesh = jax.make_mesh((4, 2), ('a', 'b'))"


def test_without_a_choice_there_are_as_many_devices_as_the_mesh_takes_and_it_is_said():
    shared = "they share this machine's CPU, and figures are those of one device"
    assert wanted(FOUR_BY_TWO) == (8, f"8 devices, as this mesh of 4x2 takes: {shared}")
    assert wanted(FOUR_BY_TWO, devices=2) == (2, f"2 devices, as asked: {shared}")
    assert wanted("XLA = 'xla_force_host_platform_device_count=6'")[0] == 6
    assert wanted("jax.jit(f)(x)") == (1, "")


def test_more_devices_than_there_can_be_are_not_made():
    assert wanted("mesh = jax.make_mesh((4, 4), ('a', 'b'))")[0] == report.MAX_DEVICES


def test_what_takes_all_devices_has_many_where_their_sharding_is_looked_at():
    assert wanted("jax.pmap(f)(x)") == (1, "")
    number, said = wanted("jax.pmap(f)(x)", insides=("sharding",))
    assert number == report.MAX_DEVICES and said.startswith("8 devices, assumed")


@pytest.mark.parametrize(("shape", "remedy"), [("4, 2", "choose 8 devices"), ("4, 4", "at most 8")])
def test_a_mesh_larger_than_the_devices_is_one_sentence_with_the_remedy(shape, remedy):
    source = meshes(f"mesh = jax.make_mesh(({shape}), ('a', 'b'))")
    error = virtual_devices.too_few(SnippetError("ValueError: JAX's own words", line=4), source)
    assert error.message.startswith(f"this snippet makes a mesh of {shape.replace(', ', 'x')}, ")
    assert error.message.endswith("and one device is there") and remedy in error.remedy


def test_an_error_of_another_line_stays_as_it_is():
    error = SnippetError("NameError: x", line=9)
    assert virtual_devices.too_few(error, meshes(FOUR_BY_TWO)) is error


@pytest.mark.cpu
def test_a_process_with_one_device_says_that_it_cannot_have_more():
    import jax

    assert jax.device_count() == 1
    with pytest.raises(SnippetError, match="JAX has started with one device in this process"):
        explore(f"import jax\n{FOUR_BY_TWO}")
