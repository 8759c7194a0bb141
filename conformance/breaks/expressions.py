"""Expressions of random programs with graph breaks, as text: `{a}` and `{b}` are tensors, `{n}` is
a whole number."""

# Of exact values exact ones of the shape of `{a}`, and no larger than sixteen.
SAME = (
    "{a} + 1", "{a} - 0.5", "({a} * 2).clamp(-16, 16)", "{a}.abs()", "torch.relu({a})", "-{a}",
    "{a}.roll(1, 0)", "{a}.flip(0)", "torch.where({a} > 1, {a} - 1, {a})", "{a}.clone()",
    "{a}.cumsum(0).clamp(-8, 8)", "{a}.sort(0).values", "{a}.masked_fill({a} < 0, 2)", "{a} + {n}",
    "torch.full_like({a}, {n})", "{a} % 4", "torch.maximum({a}, {a}.new_tensor({n}))",
    "net({a}).clamp(-16, 16)", "noted({a})", "twice({a})", "functools.partial(torch.add, {a})(1)",
    "{a}.to(torch.bfloat16).to({a}.dtype)", "copy.deepcopy({a}.detach())",
    "torch.stack([*reversed({a}.unbind(0))])", "doubled({a}, by={n})", "Pair({a}, {n}).scaled()",
)  # fmt: skip
# Of exact values exact ones of any shape.
OTHER = (
    "({a} + {b}).clamp(-16, 16)", "torch.maximum({a}, {b})", "torch.where({a} > {b}, {a}, {b})",
    "{a}.sum(0).clamp(-16, 16)", "{a}.amax(-1)", "{a}.sum().clamp(-16, 16)", "{a}.unsqueeze(0)",
    "torch.cat([{a}, {a}])", "torch.stack([{a}, {a} + 1])", "{a}[{a} > 0]", "{a}.reshape(-1)",
    "torch.unique({a})", "{a}[:{n}]", "{a}.repeat({n}, 1)", "torch.zeros({n}, 2) + 1",
    "torch.tensor({a}.tolist()) * 2", "torch.from_numpy({a}.detach().numpy() * 2)",
    "torch.from_numpy(np.maximum({a}.detach().numpy(), 0))", "({a} > 0).float()",
    "{a}.argmax(-1).float()", "{a}.to(torch.int64).float()", "sum(parts({a}))",
    "{a}.nonzero().float()", "{a}.double()", "{a}.long()", "{a} > 0", "[*{a}.unbind(0)][0]",
    "max({a}.unbind(0), key=lambda x: x.sum().item())",
    "torch.stack([x + i for i, x in enumerate({a}.unbind(0))])",
    "torch.tensor(sorted({a}.reshape(-1).tolist()))", "{a}.new_tensor([len(seen), {n}])",
    "torch.cat([x.reshape(-1) for x in ({a}, {b})])", "{a}.int() // 2",
)  # fmt: skip
# Other names for memory that has one.
ALIAS = (
    "{a}", "{a}[1:]", "{a}.t()", "{a}.view(-1)", "{a}[..., 0]", "{a}.detach()", "{a}[None]",
    "{a}.view_as({a})", "{a}.transpose(0, -1)", "torch.from_numpy({a}.detach().numpy())",
    "{a}.expand(2, *{a}.shape)", "{a}.data", "{a}.squeeze()", "{a}[::2]", "{a}.view(torch.int32)",
    "{a}.diagonal() if {a}.dim() > 1 else {a}", "{a}.unbind(0)[0]", "{a}.flatten()", "[{a}][0]",
)  # fmt: skip
# What rounds.
ROUGH = (
    "torch.tanh({a})", "torch.softmax({a}, -1)", "{a}.mean(0)", "torch.exp(-{a}.abs())",
    "{a} / (1 + {b}.abs())", "F.gelu({a})", "torch.sigmoid({a}) * {b}", "{a}.double().var(0)",
    "torch.tanh({a}) @ torch.tanh({a}).transpose(-1, -2)",
    "F.layer_norm({a}, {a}.shape[-1:], eps=0.1)", "torch.tanh(net({a}))", "checkpointed({a})",
)  # fmt: skip
# Whole numbers by exact values, from 0 to 3.
NUMBER = (
    "int({a}.sum().item()) % 4", "int({a}.sum()) % 4", "int({a}.abs().max().item()) % 4",
    "len({a}.nonzero()) % 4", "{a}.shape[0] % 4", "len(seen) % 4", "counts['calls'] % 4",
    "net.calls % 4", "sum(x > 0 for x in {a}.reshape(-1).tolist()) % 4",
    "int({a}.detach().numpy().max()) % 4", "({a} > 0).sum().item() % 4",
    "{n} + 1 if {n} < 3 else 0", "int(bool(({a} > 1).any()))", "math.floor({a}.max().item()) % 4",
    "(lambda x: x.argmax().item())({a}) % 4", "round(sum({a}.reshape(-1).tolist())) % 4",
)  # fmt: skip
# Decisions by exact values.
DECISION = (
    "{a}.sum() > 0", "{a}.sum().item() > 1", "({a} > 1).any()", "{n} > 1", "bool({a}.max() > 2)",
    "torch.equal({a}, {a}.abs())", "{a}.sum() > 0 and {n} < 2",
    "{a}.numel() and {a}.reshape(-1)[0] > 0", "len(seen) % 2", "{a}.tolist()", "not {a}.min() < 0",
    "torch.allclose({a}, {a}.round())", "any(x.sum() > 0 for x in {a}.unbind(0))",
    "({a} == {b}).all()", "isinstance({a}.sum().item(), float) and {n}", "{a}.sum() > {n}",
)  # fmt: skip
# Writes into memory.
WRITE = (
    "{a}.add_(1)", "{a}.mul_(-1)", "{a}[0] = 2", "{a}[..., -1] -= 1", "{a} += 1",
    "{a}.clamp_(-2, 2)", "{a}.copy_({a}.flip(0))", "{a}[{a} > 1] = 0", "{a}.zero_()",
    "torch.neg({a}, out={a})", "{a}.t_()", "{a}.fill_({n})", "{a}.detach().numpy()[...] *= -1",
    "{a}.view(-1)[{n}:].sub_(1)", "{a}.data.add_(1)",
    "{a}.index_add_(0, torch.tensor([0]), {a}[:1].clone())", "{a}.sub_({b}.clamp(-2, 2))",
    "{a}[{a} < 0] *= -1", "{a}.masked_fill_({a} > {n}, 1)", "{a}.unsqueeze_(0)",
    "{a}.unbind(0)[0].add_(1)", "{a}.scatter_(0, torch.zeros_like({a}[:1], dtype=torch.int64), 1)",
    "torch.add({a}, 1, out={a})",
)  # fmt: skip
# What Python does on its own.
EFFECT = (
    "print('sum', {a}.sum().item())", "print({a}.detach())", "print(f'{{{a}.shape}} {{{n}}}')",
    "seen.append({a}.sum().item())", "seen.append({a}.tolist())", "seen.append({n})",
    "counts['calls'] += 1", "counts['of ' + str({n})] = {n}", "net.calls += {n}",
    "kept.append({a}.detach().clone())", "kept.append({a}.detach())", "torch._dynamo.graph_break()",
    "net.last = {a}.detach()", "seen.extend(x.sum().item() for x in parts({a}))",
    "seen.append([counts['calls'], len(kept)])", "remember({a})", "seen.pop() if seen else None",
    "kept[-1].add_(1) if kept else None", "net.steps.add_({n})", "net.steps += {a}.detach().sum()",
    "seen.append(str({a}.dtype))", "print(len(seen), end=' ')", "seen.append({a}.sum())",
    "setattr(net, 'calls', net.calls + 1)", "seen.append(rng.randint(0, 9))", "total.add({n})",
    "assert {a}.numel() >= 0", "seen.append({a}.shape)",
    "counts.setdefault('first', {a}.sum().item())", "counts.pop('calls', None)",
    "kept.insert(0, {a}.detach().sum())", "kept.sort(key=lambda x: x.sum().item())",
    "seen.append(Pair({a}, {n}).number)", "setattr(net, 'last', ({a}.detach(), {n}))", "noted({a})",
)  # fmt: skip
