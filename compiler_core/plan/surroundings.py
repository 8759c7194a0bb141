"""Products with the arithmetic around them, as a small graph of its own, which is planned to see
what ways of computing them cost (summed.py).

It is one product, or the two that have a softmax in between, which may be one launch. What computes
their operands and is read by nothing else may be computed where it is read, and what is computed of
their results where that is written. What else they read is in memory, and an input of the small
graph, in which equal surroundings are equal texts.
"""

from collections.abc import Iterator, Mapping, Sequence

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Operation, Region, Value
from compiler_core.ir.ops import ELEMENTWISE, OPS

# What a small graph is called.
NEAR = "near"
# Operations on each side.
_MOST = 16
# What a loop reads or computes at a place of its own beside arithmetic.
_BEFORE = ELEMENTWISE | {"gather", "dynamic_slice", "concatenate", "pad"}


def surroundings(
    products: Sequence[Value], region: Region, place: Mapping[Operation, int]
) -> tuple[Graph, tuple[Value, ...]]:
    """The small graph of products in `region`, of which the second one reads what is computed of
    the first; and the products in it. `place` is the order of the region's operations."""
    first, last = products[0], products[-1]
    members = {x.operation for x in products}
    members |= _between(first, last, region) if first is not last else set()
    for operand in (x for product in products for x in product.operands):
        members |= _before(operand, region, members)
    members |= _after(last, region)
    in_order = sorted(members & place.keys(), key=place.__getitem__)
    return _Graph(region, in_order).graph(products)


def weighed_by(product: Value, region: Region) -> Value | None:
    """The product that reads the softmax of this one's result; None if there is none."""
    found, waiting, peaks = set[Operation](), [product], False
    while waiting and len(found) < _MOST:
        for user in region.users[waiting.pop()]:
            if user.op == "dot_general" and peaks:
                return user.result
            if user not in found and _is_between(user):
                found.add(user)
                peaks = peaks or (user.op == "reduce" and user["monoid"] == "maximum")
                waiting += user.results
    return None


def _between(first: Value, last: Value, region: Region) -> set[Operation]:
    """What is computed of the first product's result for the last one."""
    after, waiting = {first}, [first]
    while waiting:
        for user in region.users[waiting.pop()]:
            if _is_between(user) and after.isdisjoint(user.results):
                after.update(user.results)
                waiting += user.results
    found, waiting = set[Operation](), list(last.operands)
    while waiting:
        value = waiting.pop()
        if value in after and value is not first and value.operation not in found:
            found.add(value.operation)
            waiting += value.operands
    return found | {o for user in found for x in user.operands for o in _views(x)}


def _is_between(operation: Operation) -> bool:
    known = operation.op in ELEMENTWISE or OPS[operation.op].free_view
    return known or (operation.op == "reduce" and len(operation.results) == 1)


def _before(value: Value, region: Region, readers: set[Operation]) -> set[Operation]:
    """What computes a value for `readers` alone: arithmetic, and views of anything."""
    found, waiting = set[Operation](), [value]
    while waiting and len(found) < _MOST:
        operation = waiting.pop().operation
        users = region.users.get(operation.results[0], ())
        only = len(operation.results) == 1 and {*users} <= readers | found
        alone = only and operation.op in _BEFORE and operation.results[0] not in region.outputs
        if alone or _is_free(operation):
            found.add(operation)
            waiting += operation.operands
    return found


def _after(dot: Value, region: Region) -> set[Operation]:
    """What is computed of the result, element by element, and the views in between."""
    found, waiting = set[Operation](), [dot]
    while waiting and len(found) < _MOST:
        for user in region.users[waiting.pop()]:
            if user.op in ELEMENTWISE or OPS[user.op].free_view:
                found.add(user)
                waiting += user.results
    return found | {o for user in found for x in user.operands for o in _views(x)}


def _views(value: Value) -> Iterator[Operation]:
    """The views that a value is behind, and the constant."""
    while _is_free(value.operation):
        yield value.operation
        if not value.operands:
            return
        (value,) = value.operands


def _is_free(operation: Operation) -> bool:
    return OPS[operation.op].fusion in ("view", "literal")


class _Graph:
    """Copies of `members` of a region, numbered in its order."""

    def __init__(self, region: Region, members: Sequence[Operation]) -> None:
        self.region, self.builder, self.members = region, Builder(), members
        self.new: dict[Value, Value] = {}

    def graph(self, products: Sequence[Value]) -> tuple[Graph, tuple[Value, ...]]:
        """The graph of the copies, and the copies of `products`."""
        inside = set(self.members)
        for value in dict.fromkeys(x for o in self.members for x in o.operands):
            if value.operation not in inside:
                self.new[value] = self.builder.parameter(value.type)
        for operation in self.members:
            copied = self.builder.copy(operation, [self.new[x] for x in operation.operands])
            self.new |= zip(operation.results, copied.results, strict=True)
        outputs = dict.fromkeys(self.new[x] for x in self._outputs(products))
        return self.builder.graph(NEAR, outputs), tuple(self.new[x] for x in products)

    def _outputs(self, products: Sequence[Value]) -> Iterator[Value]:
        """What others read of the results, past views, and of what is computed of them."""
        inside, after = set(self.members), set(products)
        for operation in self.members:
            if not after.isdisjoint(operation.operands):
                after.update(operation.results)
        for value in (x for o in self.members for x in o.results if x in after):
            if value in self.region.outputs or not inside.issuperset(self.region.users[value]):
                yield _base(value)


def _base(value: Value) -> Value:
    while OPS[value.op].free_view:
        (value,) = value.operands
    return value
