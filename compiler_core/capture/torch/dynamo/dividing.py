"""Torch's partitioner, which divides a joint graph into forward and backward."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def min_cut(joint: Any, inputs: Any, **options: Any) -> tuple[Any, Any]:
    """The halves by the minimal cut, by which cheap values are computed again in the backward pass
    instead of saved. Where torch finds no cut, all that the backward pass reads is saved."""
    from torch._functorch import partitioners

    halves: tuple[Any, Any]
    try:
        with _without_files(partitioners):
            halves = partitioners.min_cut_rematerialization_partition(joint, inputs, **options)
    except Exception:  # of several kinds, by what torch finds out about it
        halves = partitioners.default_partition(joint, inputs, **options)
    return halves


@contextmanager
def _without_files(partitioners: Any) -> Iterator[None]:
    """Context in which torch does not describe what it cannot divide in files of the working
    directory."""
    before = partitioners._get_unique_path
    partitioners._get_unique_path = lambda *_: os.devnull
    try:
        yield
    finally:
        partitioners._get_unique_path = before
