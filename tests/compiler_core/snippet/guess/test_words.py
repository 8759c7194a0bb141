"""Names that speak of the same."""

import pytest

from compiler_core.snippet.guess.words import is_of

SAME = (
    ("optD", "netD"), ("netD", "Discriminator"), ("actor_opt", "actor"), ("opt_g", "generator"),
    ("policy_net", "PolicyNet"), ("G_optimizer", "netG"), ("student", "StudentNet"),
)  # fmt: skip
OTHERS = (
    ("optD", "netG"), ("model", "Model"), ("optimizer", "actor"), ("netD", "Generator"),
    ("net", "subnet"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "other"), SAME)
def test_of_the_same(name, other):
    assert is_of(name, other)


@pytest.mark.parametrize(("name", "other"), OTHERS)
def test_of_others(name, other):
    assert not is_of(name, other)
