"""Merging steps never makes two of them wait for each other."""

import random

import pytest

from compiler_core.fuse.acyclic import Order


class Steps:
    """Steps as frozensets of numbers, which read smaller numbers: merged by chance."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.edges = [(i, j) for j in range(16) for i in range(j) if self.rng.random() < 0.15]
        self.of = {i: frozenset([i]) for i in range(16)}
        self.order = Order(list(self.of.values()), self.readers)

    def readers(self, step):
        found = (self.of[j] for i, j in self.edges if i in step)
        return dict.fromkeys(r for r in found if r is not step)

    def waits_for_itself(self, parts):
        """By every path there is."""
        seen, stack = set(), [r for p in parts for r in self.readers(p) if r not in parts]
        while stack:
            step = stack.pop()
            if step in parts:
                return True
            if step not in seen:
                seen.add(step)
                stack += self.readers(step)
        return False

    def merge(self, parts):
        whole = frozenset().union(*parts)
        self.order.merge(parts, whole)
        self.of |= dict.fromkeys(whole, whole)


@pytest.mark.parametrize("seed", range(40))
def test_merges_are_refused_exactly_where_a_path_comes_back(seed):
    steps = Steps(seed)
    for _ in range(60):
        left = sorted(set(steps.of.values()), key=sorted)
        parts = steps.rng.sample(left, min(len(left), steps.rng.choice((2, 2, 3))))
        expected = steps.waits_for_itself(parts)
        assert steps.order.reaches_around(parts) == expected
        if not expected and len(parts) > 1:
            steps.merge(parts)
