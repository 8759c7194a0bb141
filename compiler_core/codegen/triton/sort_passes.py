"""Sorts of long rows as Triton: launches that sort blocks, and launches that merge runs
(plan/gpu/sort_passes.py)."""

from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.triton.sort import LAST, Printer
from compiler_core.codegen.triton.template import emitted, program_id
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import atom, is_multiple
from compiler_core.plan.gpu.sort_passes import Runs, SortPass, probes
from compiler_core.schedule.gpu.sort import GpuSort


def emit_pass(step: SortPass, schedule: GpuSort) -> TritonSource:
    """The module of a launch that sorts blocks of each row, or merges runs."""
    p = Printer(Writer(), step.sort)
    if step.words is None:
        return emitted(p.w, step, schedule, lambda: _blocks(p, step))
    return emitted(p.w, step, schedule, lambda: _merge(p, step, schedule))


def _blocks(p: Printer, step: SortPass) -> None:
    runs, sort, program = step.runs, step.sort, program_id(step)
    p.w.lines(
        f"row = {program} // {runs.count}",
        f"run = {program} % {runs.count}",
        "rank = run * BLOCK + tl.arange(0, BLOCK)",
        f"mask = rank < {sort.length}",
        f"start = {p.start(sort.length)}",
    )
    place = "rank"
    if step.order is not None:
        p.line(f"place = tl.load({step.order.name}_ptr + row * {sort.length} + rank, mask=mask)")
        place = "place"
    p.line(f"key = {p.key(step.round.key, place, 'mask')}")
    p.line(f"word = {p.word(step.round, 'key', 'rank')}")
    p.line(f"word = tl.sort(tl.where(mask, word, {LAST}))")
    p.w.line("position = tl.arange(0, BLOCK)")
    masks = [f"position < {sort.length} - run * BLOCK"] * (sort.length % runs.span > 0)
    masks += [f"position < {runs.pitch}"] * (runs.pitch < runs.span)
    _store_words(p, step, "run", _both(masks))


def _merge(p: Printer, step: SortPass, schedule: GpuSort) -> None:
    own, sort = step.before, step.sort
    p.w.lines(
        f"index = {program_id(step)} * BLOCK + tl.arange(0, BLOCK)",
        f"row = index // {own.count * own.pitch}",
        f"run = index // {own.pitch} % {own.count}",
        f"position = index % {own.pitch}",
    )
    total = sort.rows * (own.count * own.pitch)
    masks = [] if is_multiple(total, schedule.each) else [f"index < {atom(total)}"]
    masks += [f"position < {_left(own, 'run')}"] * (sort.length % own.span > 0)
    mask = _both(masks)
    if mask:
        p.w.line(f"mask = {mask}")
        mask = "mask"
    assert step.words is not None
    words = f"{step.words.name}_ptr"
    p.line(f"word = tl.load({words} + index{f', mask={mask}' if mask else ''})")
    _rank(p, own, min(step.ways, own.count), words, mask)
    if step.runs.pitch < step.ways * own.pitch:
        p.w.line(f"mask = {_both([*filter(None, [mask]), f'position < {step.runs.pitch}'])}")
        mask = "mask"
    if not step.is_whole:
        p.w.line(f"run = run // {step.ways}")
        return _store_words(p, step, "run", mask)
    _finish(p, step, mask)


def _rank(p: Printer, own: Runs, count: int, words: str, mask: str) -> None:
    """Adds to the word's position how many words come before it in each other of `count` runs,
    found by halving."""
    first = "" if own.count == count else f"run // {count} * {count} + "
    p.w.line(f"# In each other of {count} runs, how many words come before it.")
    p.line(f"for step in range(1, {count}):")
    with p.w.indent():
        p.w.line(f"other = {first}(run + step) % {count}")
        p.w.line(f"size = tl.minimum({_left(own, 'other')}, {own.pitch})")
        p.w.line(f"begin = {words} + (row * {own.count} + other) * {own.pitch}")
        p.line("before = tl.zeros((BLOCK,), tl.int32)")
        p.line(f"for bit in range(0, {probes(own)}):")
        with p.w.indent():
            p.w.line(f"probe = before + ({1 << (probes(own) - 1)} >> bit)")
            p.w.line(f"near = {f'{mask} & ' if mask else ''}(probe <= size)")
            p.line("value = tl.load(begin + probe - 1, mask=near, other=0)")
            p.line("before = tl.where(near & (value < word), probe, before)")
        p.line("position += before")


def _both(masks: list[str]) -> str:
    """All of them as one."""
    return masks[0] if len(masks) == 1 else " & ".join(f"({m})" if " " in m else m for m in masks)


def _left(runs: Runs, run: str) -> str:
    """How many elements of its row there are from a run's first one on."""
    return f"{runs.length} - {run} * {runs.span}"


def _store_words(p: Printer, step: SortPass, run: str, mask: str) -> None:
    assert step.temporary is not None
    runs = step.runs
    target = f"{step.temporary.name}_ptr + (row * {runs.count} + {run}) * {runs.pitch} + position"
    p.line(f"tl.store({target}, word{f', mask={mask}' if mask else ''})")


def _finish(p: Printer, step: SortPass, mask: str) -> None:
    """A whole row in order: the results' elements, or the places for the next round."""
    sort = step.sort
    only = f", mask={mask}" if mask else ""
    p.line("place = (word & 0xffffffff).to(tl.int32)")
    if step.order is not None:
        there = f"{step.order.name}_ptr + row * {sort.length} + place"
        p.line(f"place = tl.load({there}{only})")
    if step.temporary is not None:
        p.line(f"tl.store({step.temporary.name}_ptr + row * {sort.length} + position, place{only})")
        return
    p.w.line(f"start = {p.start(sort.length)}")
    p.w.line(f"target = {p.start(sort.pitch)}")
    p.write("place", "position", mask)
