"""torch's recurrent layers as scans over time: the inputs' contribution to all gates is one product
before the loop, each step has one product with the state, and the gradients of the weights are one
product after the loop of the backward pass.

Gates are side by side as in torch's weights. Shapes: x is [time, batch, features], a state [batch,
hidden], gates [time, batch, gates * hidden]. The formulas are those of torch's documentation of
nn.RNN and nn.GRU.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from compiler_core.capture.torch import private

States = tuple[Tensor, ...]


@runtime_checkable
class Scans(Protocol):
    """A dispatch mode that takes scans, while it does not see other operations."""

    def scan(self, step: Callable[..., Any], *given: Sequence[Tensor]) -> States:
        """The results of a scan over dimension 0, whose step is traced once."""


# One step of a layer: the states after it, from the contributions of the inputs and of the previous
# state to the gates, and the previous states. The first state is the layer's output.
Forward = Callable[[Tensor, Tensor, States], States]
# The gradients of these arguments, from them, the states after the step, and the gradients of
# those.
Backward = Callable[[Tensor, Tensor, States, States, States], tuple[Tensor, Tensor, States]]


@dataclass(frozen=True)
class Cell:
    """One step of a layer, and its derivative. The gradient of the previous state leaves out the
    part that flows through the gates."""

    forward: Forward
    backward: Backward


def _tanh(given: Tensor, own: Tensor, before: States) -> States:
    return (torch.tanh(given + own),)


def _tanh_back(
    given: Tensor, own: Tensor, before: States, after: States, grads: States
) -> tuple[Tensor, Tensor, States]:
    inner = grads[0] * (1 - after[0] * after[0])
    return inner, inner, (torch.zeros_like(inner),)


def _relu(given: Tensor, own: Tensor, before: States) -> States:
    return (torch.relu(given + own),)


def _relu_back(
    given: Tensor, own: Tensor, before: States, after: States, grads: States
) -> tuple[Tensor, Tensor, States]:
    inner = torch.where(after[0] > 0, grads[0], 0)
    return inner, inner, (torch.zeros_like(inner),)


def _parts(gates: Tensor, count: int) -> list[Tensor]:
    size = gates.shape[1] // count
    return [gates[:, i * size : (i + 1) * size] for i in range(count)]


def _gru_gates(given: Tensor, own: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The reset gate, the update gate, the new state, and what the state before gives to that."""
    (given_r, given_z, given_n), (own_r, own_z, own_n) = _parts(given, 3), _parts(own, 3)
    reset, update = torch.sigmoid(given_r + own_r), torch.sigmoid(given_z + own_z)
    return reset, update, torch.tanh(given_n + reset * own_n), own_n


def _gru(given: Tensor, own: Tensor, before: States) -> States:
    _, update, new, _ = _gru_gates(given, own)
    return (new + update * (before[0] - new),)


def _gru_back(
    given: Tensor, own: Tensor, before: States, after: States, grads: States
) -> tuple[Tensor, Tensor, States]:
    reset, update, new, own_n = _gru_gates(given, own)
    of_new = grads[0] * (1 - update) * (1 - new * new)
    of_update = grads[0] * (before[0] - new) * update * (1 - update)
    of_reset = of_new * own_n * reset * (1 - reset)
    of_given = torch.cat((of_reset, of_update, of_new), 1)
    return of_given, torch.cat((of_reset, of_update, of_new * reset), 1), (grads[0] * update,)


def _lstm_gates(given: Tensor, own: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """How much is taken in and how much is kept, the new memory, and how much of it is shown."""
    taken, kept, new, shown = _parts(given + own, 4)
    return torch.sigmoid(taken), torch.sigmoid(kept), torch.tanh(new), torch.sigmoid(shown)


def _lstm(given: Tensor, own: Tensor, before: States) -> States:
    taken, kept, new, shown = _lstm_gates(given, own)
    memory = kept * before[1] + taken * new
    return shown * torch.tanh(memory), memory


def _lstm_back(
    given: Tensor, own: Tensor, before: States, after: States, grads: States
) -> tuple[Tensor, Tensor, States]:
    taken, kept, new, shown = _lstm_gates(given, own)
    seen = torch.tanh(after[1])
    of_memory = grads[1] + grads[0] * shown * (1 - seen * seen)
    of_gates = (
        of_memory * new * taken * (1 - taken),
        of_memory * before[1] * kept * (1 - kept),
        of_memory * taken * (1 - new * new),
        grads[0] * seen * shown * (1 - shown),
    )
    of_all = torch.cat(of_gates, 1)
    return of_all, of_all, (torch.zeros_like(of_memory), of_memory * kept)


TANH, RELU = Cell(_tanh, _tanh_back), Cell(_relu, _relu_back)
GRU, LSTM = Cell(_gru, _gru_back), Cell(_lstm, _lstm_back)


class _Recorded(torch.autograd.Function):
    """The states after every step [time, batch, hidden], from the gates that the inputs give, the
    weights and bias of the state, and the first states."""

    @staticmethod
    def forward(
        ctx: Any, cell: Cell, gates: Tensor, weight: Tensor, bias: Tensor, *first: Tensor
    ) -> States:
        _, states = _run(cell, gates, weight, bias, first, kept=len(first))
        ctx.cell, ctx.count = cell, len(first)
        ctx.save_for_backward(gates, weight, bias, *first, *states)
        return states

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        count, back = ctx.count, ctx.cell.backward
        gates, weight, bias, *saved = ctx.saved_tensors
        first, after = saved[:count], saved[count:]
        before = [torch.cat((x.unsqueeze(0), xs[:-1])) for x, xs in zip(first, after, strict=True)]
        own = before[0] @ weight.t() + bias

        def step(*given: Tensor) -> States:
            carried, more, befores, afters = (given[i * count : (i + 1) * count] for i in range(4))
            gates, own, weight = given[4 * count :]
            total = tuple(map(torch.add, carried, more))
            of_given, of_own, of_before = back(gates, own, befores, afters, total)
            by_gates = torch.addmm(of_before[0], of_own, weight)
            return by_gates, *of_before[1:], of_given.clone(), of_own.clone()

        rows = [x.flip(0) for x in (*grads, *before, *after, gates, own)]
        *of_first, of_gates, of_own = _scan(
            step, [torch.zeros_like(x) for x in first], rows, [weight]
        )
        of_gates, of_own = of_gates.flip(0), of_own.flip(0)
        of_weight = of_own.flatten(0, 1).t() @ before[0].flatten(0, 1)
        return None, of_gates, of_weight, of_own.sum((0, 1)), *of_first


def _run(
    cell: Cell, gates: Tensor, weight: Tensor, bias: Tensor, first: States, kept: int
) -> tuple[States, States]:
    """The last states; and of the first `kept` of them, those after every step."""

    def step(*given: Tensor) -> States:
        *before, gates, weight, bias = given
        own = torch.addmm(bias, before[0], weight.t())
        after = cell.forward(gates, own, tuple(before))
        return (*after, *(x.clone() for x in after[:kept]))

    found = _scan(step, first, [gates], [weight, bias])
    return found[: len(first)], found[len(first) :]


def _scan(
    step: Callable[..., States],
    first: Sequence[Tensor],
    rows: Sequence[Tensor],
    rest: Sequence[Tensor],
) -> States:
    """By whoever records calls here, else by torch's operation."""
    if isinstance(private.current_mode(), Scans):
        with private.without_innermost_mode() as mode:
            return mode.scan(step, first, rows, rest)
    with private.below_autograd():
        return tuple(private.scan_op(step, list(first), list(rows), tuple(rest)))


def _direction(
    cell: Cell, x: Tensor, first: States, weights: Sequence[Tensor], reverse: bool
) -> tuple[Tensor, States]:
    """The outputs in the order of time, and the last states that are reached."""
    of_inputs, of_state, *biases = weights
    of_input, of_own = biases or (x.new_zeros(of_state.shape[0]),) * 2
    gates = torch.nn.functional.linear(x, of_inputs, of_input)
    gates = gates.flip(0) if reverse else gates
    if torch.is_grad_enabled() and any(t.requires_grad for t in (x, *first, *weights)):
        states = _Recorded.apply(cell, gates, of_state, of_own, *first)
        last = tuple(each[-1] for each in states)
    else:
        last, states = _run(cell, gates, of_state, of_own, first, kept=1)
    return (states[0].flip(0) if reverse else states[0]), last


def layers(
    cell: Cell,
    x: Tensor,
    first: Tensor | Sequence[Tensor],
    weights: Sequence[Tensor],
    *options: Any,
) -> Any:
    """torch.gru, torch.lstm, torch.rnn_tanh and torch.rnn_relu, with their arguments and results.
    `x` is [time, batch, features], the states before the first step [layers * directions, batch,
    hidden]; returns the outputs of the last layer and the last states of each. NotImplemented for
    packed sequences, sequences of length 0, and projected states."""
    has_biases, num_layers, dropout, train, bidirectional, batch_first = options
    directions, each = 1 + bidirectional, 4 if has_biases else 2
    x = x.transpose(0, 1) if batch_first else x
    if not isinstance(has_biases, bool) or not x.shape[0]:  # the arguments of packed sequences
        return NotImplemented
    if len(weights) != each * directions * num_layers:
        return NotImplemented
    states, last = [first] if isinstance(first, Tensor) else list(first), []
    for layer in range(num_layers):
        outputs = []
        for place in range(layer * directions, (layer + 1) * directions):
            own = weights[each * place : each * (place + 1)]
            reverse = bidirectional and place % 2 == 1
            output, reached = _direction(cell, x, tuple(s[place] for s in states), own, reverse)
            outputs.append(output)
            last.append(reached)
        x = torch.cat(outputs, 2) if bidirectional else outputs[0]
        if dropout and train and layer < num_layers - 1:
            x = torch.dropout(x, dropout, True)
    return (x.transpose(0, 1) if batch_first else x), *map(torch.stack, zip(*last, strict=True))


_NAMES = {"gru": GRU, "lstm": LSTM, "rnn_tanh": TANH, "rnn_relu": RELU}
TABLE = {f"{name}.input": partial(layers, cell) for name, cell in _NAMES.items()}
# The compositions as functions of torch.
FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    getattr(torch, name): partial(layers, cell) for name, cell in _NAMES.items()
}
