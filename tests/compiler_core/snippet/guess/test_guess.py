"""Inputs that are found for what nothing calls."""

import jax.numpy as jnp
import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
JAX = "import jax\nimport jax.numpy as jnp\nfrom typing import NamedTuple\n"
# A definition, and what it is called with.
GUESSES = {
    "def f(x, w, b):\n    return F.linear(x, w, b)": "f(f32[128,256], f32[256,256], f32[256])",
    "def f(x, num_heads):\n    b, t, d = x.shape\n"
    "    return x.view(b, t, num_heads, d // num_heads)": "f(f32[8,32,256], 4)",
    "def f(x, *, scale: float):\n    return x * scale": "f(f32[128,256], scale=1.0)",
    "def f(ids, table):\n    return F.embedding(ids, table)": "f(i64[8,32], f32[1000,256])",
    "def f(xs: list[torch.Tensor]):\n    return torch.stack(xs)": (
        "f([f32[128,256], f32[128,256], f32[128,256]])"
    ),
    "def f(batch):\n    return batch['x'] @ batch['w']": (
        "f({'x': f32[128,256], 'w': f32[256,256]})"
    ),
    "def f(layer, x):\n    w, b = layer\n    return x @ w + b": (
        "f((f32[256,256], f32[256]), f32[128,256])"
    ),
    "def f(a, b):\n    return torch.einsum('bij,bjk->bik', a, b)": "f(f32[8,32,32], f32[8,32,32])",
    "scale = torch.ones(3)\ndef f(scale):\n    return scale * 2": "f(scale)",
    "def f(x):\n    if x.sum() > 0:\n        return x\n    return -x": "f(f32[128,256])",
    "class Net(nn.Module):\n    def __init__(self, d_in, d_out):\n        super().__init__()\n"
    "        self.l = nn.Linear(d_in, d_out)\n    def forward(self, x):\n"
    "        return self.l(x)": "Net(256, 256)(f32[128,256])",
    "class Net(nn.Module):\n    def __init__(self, cfg):\n        super().__init__()\n"
    "        self.l = nn.Linear(cfg.n_embd, cfg.vocab_size)\n    def forward(self, x):\n"
    "        return self.l(x)": "Net(SimpleNamespace(n_embd=256, vocab_size=1000))(f32[128,256])",
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.c = nn.Conv2d(1, 4, 5)\n        self.l = nn.Linear(4 * 24 * 24, 10)\n"
    "    def forward(self, x):\n"
    "        return self.l(self.c(x).flatten(1))": "Net()(f32[8,1,28,28])",
    "def gram(x):\n    a, b, c, d = x.size()\n    f = x.view(a * b, c * d)\n"
    "    return f @ f.t() / (a * b * c * d)\n"
    "class StyleLoss(nn.Module):\n    def __init__(self, target_feature):\n"
    "        super().__init__()\n        self.target = gram(target_feature).detach()\n"
    "    def forward(self, input):\n        self.loss = F.mse_loss(gram(input), self.target)\n"
    "        return input": "StyleLoss(f32[8,8,256,256])(f32[8,8,256,256])",
    "class ContentLoss(nn.Module):\n    def __init__(self, target):\n"
    "        super().__init__()\n        self.target = target.detach()\n"
    "    def forward(self, input):\n        return F.mse_loss(input, self.target)": (
        "ContentLoss(f32[128,256])(f32[128,256])"
    ),
    "class Bank(nn.Module):\n    def __init__(self, bank):\n        super().__init__()\n"
    "        self.register_buffer('bank', bank)\n    def forward(self, x):\n"
    "        return torch.cdist(x, self.bank)": "Bank(f32[128,256])(f32[128,256])",
    "class Scale(nn.Module):\n    def __init__(self, init):\n        super().__init__()\n"
    "        self.s = nn.Parameter(init)\n    def forward(self, x):\n"
    "        return x * self.s": "Scale(f32[128,256])(f32[128,256])",
    "class Tagger(nn.Module):\n    def __init__(self, vectors):\n        super().__init__()\n"
    "        self.e = nn.Embedding.from_pretrained(vectors)\n    def forward(self, ids):\n"
    "        return self.e(ids).mean(1)": "Tagger(f32[128,256])(i64[8,32])",
    "def _center(v):\n    b, t, d = v.shape\n    return v - v.mean(1, keepdim=True)\n"
    "def f(x):\n    return _center(x) * 2": "f(f32[8,32,256])",
    "class Normalization(nn.Module):\n    def __init__(self, mean, std):\n"
    "        super().__init__()\n        self.mean = torch.tensor(mean).view(-1, 1, 1)\n"
    "        self.std = torch.tensor(std).view(-1, 1, 1)\n    def forward(self, img):\n"
    "        return (img - self.mean) / self.std": (
        "Normalization([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])(f32[8,3,32,32])"
    ),
    "def f(features):\n    return features @ features.T / features.shape[0]": "f(f32[128,256])",
    "def f(criterion, pred, y):\n    return 2 * criterion(pred, y)": (
        "f(F.mse_loss, f32[128,256], f32[128,256])"
    ),
    "def f(x, size: tuple[int, int]):\n    h, w = size\n    return x.sum() * torch.ones(h)": (
        "f(f32[128,256], [32, 32])"
    ),
    "def f(dim: int, end: int):\n    return torch.ones(end)[:, None] * torch.arange(0, dim)": (
        "f(256, 64)"
    ),
    "def f(x, dim: int):\n    return x.softmax(dim)": "f(f32[128,256], -1)",
    "class Net(nn.Module):\n    def __init__(self, dim: int, k: int = 2):\n"
    "        super().__init__()\n        self.l = nn.Linear(dim, 8)\n    def forward(self, x):\n"
    "        return self.l(x)": "Net(256)(f32[128,256])",
    "class Net(nn.Module):\n    def __init__(self, hidden):\n        super().__init__()\n"
    "        self.e = nn.Embedding(10, hidden)\n        self.g = nn.GRU(hidden, hidden)\n"
    "    def forward(self, encoder_outputs, h):\n"
    "        return self.g(encoder_outputs.transpose(0, 1), h)[0]": (
        "Net(512)(f32[8,32,512], f32[1,8,512])"
    ),
    "class VQ(nn.Module):\n    def __init__(self, num_embeddings, embedding_dim):\n"
    "        super().__init__()\n"
    "        self.e = nn.Embedding(num_embeddings, embedding_dim)\n"
    "    def forward(self, inputs):\n"
    "        rows = inputs.permute(0, 2, 3, 1).reshape(-1, self.e.embedding_dim)\n"
    "        return rows @ self.e.weight.T": "VQ(1000, 256)(f32[8,256,32,32])",
    "def f(model):\n    return sum((p**2).sum() for p in model.parameters())": (
        "f(nn.Linear(256, 256))"
    ),
    "class Shift(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n"
    "        self.l = nn.Linear(3, dim)\n        self.b = nn.Parameter(torch.ones(dim))\n"
    "    def forward(self, x):\n        n = x.shape[-1]\n"
    "        return x * self.l(torch.ones(n, 3)).T + self.b[:, None]": "Shift(256)(f32[8,256,32])",
    "def f(table, L):\n    return table[:, :L] * 2": "f(f32[1000,256], 256)",
    "class EMA:\n    def __init__(self, beta):\n        self.beta = beta\n"
    "    def update(self, old, new):\n        return self.beta * old + (1 - self.beta) * new": (
        "EMA.update(0.5)(f32[128,256], f32[128,256])"
    ),
    "class Sizes:\n    def __init__(self, n: int):\n        self.n = n\n"
    "    def split(self, x):\n        return x.view(-1, self.n)\nhalves = Sizes(2)": (
        "halves.split(f32[128,256])"
    ),
    "class Sgd(torch.optim.Optimizer):\n    def __init__(self, params, lr=0.1):\n"
    "        super().__init__(params, {'lr': lr})\n    @torch.no_grad()\n    def step(self):\n"
    "        for group in self.param_groups:\n            for p in group['params']:\n"
    "                assert p.dim() == 2\n                p.add_(p.grad, alpha=-group['lr'])": (
        "Sgd.step([f32[256,256], f32[256,256]])()"
    ),
    "class Steps(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n"
    "        self.l = nn.Linear(dim, dim)\n    def step(self, x):\n        return self.l(x)": (
        "Steps.step(256)(f32[128,256])"
    ),
    "def guided(model, x, t, cond):\n    t = torch.cat([t, t])\n"
    "    both = model(torch.cat([x, x]), t, torch.cat([cond, cond * 0]))\n"
    "    a, b = both.chunk(2)\n"
    "    return b + 2 * (a - b)": (
        "guided(torch.addcmul, f32[128,256], i64[128], f32[128,256])"
    ),
    "def ema(model, averaged):\n    for p, q in zip(model.parameters(), averaged.parameters()):\n"
    "        q.data.mul_(0.9).add_(0.1 * p.detach())": (
        "ema(nn.Linear(256, 256), nn.Linear(256, 256))"
    ),
    "def delta(q, k, v, beta):\n    b, h, l, d = k.shape\n"
    "    return (v * beta[..., None]) @ (k * beta[..., None]).mT @ q": (
        "delta(f32[8,4,32,256], f32[8,4,32,256], f32[8,4,32,256], f32[8,4,32])"
    ),
    "class Ops:\n    @staticmethod\n    def add(x):\n        return x + 1": "Ops.add(f32[128,256])",
    "def f(mask):\n    return mask.cumsum(2).permute(0, 2, 1)": "f(bool[8,32,32])",
    "class Net(nn.Module):\n    def forward(self):\n        return torch.ones(3) * 2": "Net()()",
    "def f(*tensors, scale=2.0):\n    return torch.cat([t * scale for t in tensors])": (
        "f(f32[128,256], f32[128,256])"
    ),
    "import enum\nclass Norm(enum.Enum):\n    NONE = 0\n    LAYER = 1\n"
    "def f(x, norm: Norm):\n    return x * norm.value": "f(f32[128,256], Norm.NONE)",
    "class RMSNorm(nn.Module):\n    def __init__(self, d_model):\n        super().__init__()\n"
    "        self.weight = nn.Parameter(torch.ones(d_model))\n    def forward(self, x):\n"
    "        return x * self.weight": "RMSNorm(256)(f32[128,256])",
    "class Decay(nn.Module):\n    def __init__(self, dim, layer_id: int, n_layer):\n"
    "        super().__init__()\n"
    "        self.w = nn.Parameter(torch.ones(dim) * (1 - layer_id / n_layer))\n"
    "    def forward(self, x):\n        return x**self.w": "Decay(256, 0, 2)(f32[128,256])",
    "class KAN(nn.Module):\n    def __init__(self, widths):\n        super().__init__()\n"
    "        self.l = nn.ModuleList(nn.Linear(i, o) for i, o in zip(widths, widths[1:]))\n"
    "    def forward(self, x):\n        for each in self.l:\n            x = each(x)\n"
    "        return x": "KAN([256, 64, 16])(f32[128,256])",
    "class LoRA(nn.Module):\n    def __init__(self, base: nn.Linear, r: int):\n"
    "        super().__init__()\n        self.base, self.a = base, nn.Linear(base.in_features, r)\n"
    "    def forward(self, x):\n        return self.base(x) * self.a(x).sum(-1, keepdim=True)": (
        "LoRA(nn.Linear(256, 256), 1)(f32[128,256])"
    ),
    "class LoRA(nn.Module):\n    def __init__(self, base, norm_layer):\n"
    "        super().__init__()\n"
    "        self.base, self.norm = base, norm_layer(base.in_features)\n"
    "    def forward(self, x):\n        return self.norm(self.base(x))": (
        "LoRA(nn.Linear(256, 256), nn.LayerNorm)(f32[128,256])"
    ),
    "def iou(boxes1, boxes2):\n    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])\n"
    "    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])\n"
    "    return (rb - lt).clamp(min=0).prod(-1)": "iou(f32[128,4], f32[128,4])",
    "def giou(pred: torch.Tensor, target: torch.Tensor):\n"
    "    lt = torch.min(pred[..., 2:], target[..., 2:])\n"
    "    rb = torch.max(pred[..., :2], target[..., :2])\n"
    "    return (lt - rb).clamp(min=0).prod(-1)": "giou(f32[128,4], f32[128,4])",
    "def composite(raw, z):\n    alpha = 1 - torch.exp(-torch.relu(raw[..., 3]) * z)\n"
    "    return (alpha[..., None] * torch.sigmoid(raw[..., :3])).sum(-2)": (
        "composite(f32[128,256,4], f32[128,256])"
    ),
    "def rays(H, W, focal):\n    i = torch.linspace(0, W - 1, W) / focal\n"
    "    return i + torch.zeros((H, 1))": "rays(32, 32, 32)",
    "@torch.jit.script\ndef helper(x):\n    return x * 2\n"
    "class Net(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n"
    "        self.l = nn.Linear(dim, dim)\n    def forward(self, x):\n"
    "        return helper(self.l(x))": "Net(256)(f32[128,256])",
    "def f(x, var):\n    return x / var.sqrt()": "f(f32[128,256], f32[128,256]~uniform(0,1))",
    "def kl(p, r):\n    return (p * (p / r).log()).sum(-1)": (
        "kl(f32[128,256]~uniform(0,1), f32[128,256]~uniform(0,1))"
    ),
    "def f(x):\n    return x / torch.zeros(1) * 0": "f(f32[128,256])",
    "def f(x, w_ih, bias):\n    i, g = F.linear(x, w_ih, bias).chunk(2, -1)\n"
    "    return i.sigmoid() * g": "f(f32[128,256], f32[512,256], f32[512])",
}  # fmt: skip
OF_JAX = {
    "def linear(x, w, b):\n    return x @ w + b\ndef ffn(x, up, down):\n"
    "    return linear(jax.nn.gelu(linear(x, **up)), **down)": (
        "ffn(f32[128,256], {'w': f32[256,256], 'b': f32[256]}, {'w': f32[256,256], 'b': f32[256]})"
    ),
    "class MLP:\n    def __init__(self, sizes, key):\n        self.w = [\n"
    "            jax.random.normal(key, (a, b)) for a, b in zip(sizes, sizes[1:])]\n"
    "    def __call__(self, x):\n        for w in self.w:\n            x = jnp.tanh(x @ w)\n"
    "        return x": "MLP([256, 64, 16], u32[2])(f32[128,256])",
    "def f(key, x):\n    return x + jax.random.normal(key, x.shape)": "f(u32[2], f32[128,256])",
    "def f(ids, table):\n    return table[ids]": "f(i32[8,32], f32[1000,256])",
    "def f(p, x):\n    return x @ p['mlp']['w1'] + p['mlp']['b1']": (
        "f({'mlp': {'w1': f32[256,256], 'b1': f32[256]}}, f32[128,256])"
    ),
    "@jax.jit\ndef f(x):\n    return jnp.tanh(x)": "f(f32[128,256])",
    "def f(q, k, v, n: int = 4):\n    T, D = q.shape\n"
    "    q, k, v = (a.reshape(T, n, D // n) for a in (q, k, v))\n    return q * k * v": (
        "f(f32[32,256], f32[32,256], f32[32,256])"
    ),
    "class State(NamedTuple):\n    h: jax.Array\n    scale: float\n"
    "def f(state: State, x):\n    return state.h + x * state.scale": (
        "f(State(h=f32[128,256], scale=1.0), f32[128,256])"
    ),
    "class Norm:\n    def __init__(self, dim):\n        self.w = jnp.ones(dim)\n"
    "    def __call__(self, x):\n        return x * self.w": "Norm(256)(f32[128,256])",
    "class Norm:\n    def __init__(self, dim):\n        self.w = jnp.ones(dim)\n"
    "    def apply(self, x):\n        return x * self.w": "Norm(256)(f32[128,256])",
    "def cell(p, carry, x):\n    h, c = carry\n"
    "    z = x @ p['Wx'] + h @ p['Wh'] + p['b']\n    i, f, g, o = jnp.split(z, 4, axis=-1)\n"
    "    c = f * c + i * jnp.tanh(g)\n    return (o * c, c), c": (
        "cell({'Wx': f32[256,1024], 'Wh': f32[256,1024], 'b': f32[1024]}, "
        "(f32[128,256], f32[128,256]), f32[128,256])"
    ),
    "class P(NamedTuple):\n    W: jax.Array\n    b: jax.Array\n"
    "def step(p: P, h, x):\n    z = jnp.tanh(p.W @ jnp.concatenate([h, x]) + p.b)\n"
    "    return h + z": "step(P(W=f32[256,512], b=f32[256]), f32[256], f32[256])",
    "class Attention:\n    def apply(self, params, x):\n        b, t, _ = x.shape\n"
    "        def heads(w):\n            return (x @ w).reshape(b, t, 4, 64)\n"
    "        return heads(params['q']) * heads(params['k'])": (
        "Attention()({'q': f32[256,256], 'k': f32[256,256]}, f32[8,32,256])"
    ),
    "def norm(p, x):\n    return (x - x.mean(-1, keepdims=True)) * p['g'] + p['b']\n"
    "def block(params, x):\n    B, T, D = x.shape\n"
    "    q, k, v = jnp.split(norm(params['ln'], x) @ params['wqkv'], 3, axis=-1)\n"
    "    return x + q * k * v": (
        "block({'ln': {'g': f32[256], 'b': f32[256]}, 'wqkv': f32[256,768]}, f32[8,32,256])"
    ),
    "def heads(p, x):\n    b, t, d = x.shape\n"
    "    q, k, v = jnp.split((x @ p['qkv']).reshape(b, t, 4, -1), 3, axis=-1)\n"
    "    return (q * k * v).reshape(b, t, -1) @ p['out']": (
        "heads({'qkv': f32[256,768], 'out': f32[256,256]}, f32[8,32,256])"
    ),
    "def decode(p, x, cache, t):\n"
    "    q = jnp.einsum('bd,dhk->bhk', x, p['q'])\n"
    "    k = cache['k'].at[:, t].set(jnp.einsum('bd,dhk->bhk', x, p['k']))\n"
    "    return jnp.einsum('bhk,bthk->bht', q, k), k": (
        "decode({'q': f32[256,4,32], 'k': f32[256,4,32]}, f32[8,256], {'k': f32[8,32,4,32]}, i32[])"
    ),
    "class Cache(NamedTuple):\n    k: jax.Array\n    length: jax.Array\n"
    "def decode(q, k, cache: Cache):\n"
    "    k = jax.lax.dynamic_update_slice_in_dim(cache.k, k, cache.length, axis=1)\n"
    "    return jnp.einsum('bqhd,bkhd->bhqk', q, k), Cache(k, cache.length + 1)": (
        "decode(f32[8,32,4,256], f32[8,32,4,256], Cache(k=f32[8,32,4,256], length=i32[]))"
    ),
    "def write(cache, x, w, pos):\n    k = jnp.einsum('btd,dhk->bthk', x, w)\n"
    "    return jax.lax.dynamic_update_slice(cache, k, (0, pos, 0, 0))": (
        "write(f32[8,32,4,32], f32[8,32,256], f32[256,4,32], i32[])"
    ),
    "def layer(m, n, key):\n    return jax.random.normal(key, (n, m)), jnp.zeros(n)\n"
    "def init_network(sizes, key):\n    keys = jax.random.split(key, len(sizes))\n"
    "    return [layer(m, n, k) for m, n, k in zip(sizes[:-1], sizes[1:], keys)]\n"
    "layer_sizes = [784, 64, 10]\n"
    "def predict(params, image):\n    for w, b in params:\n        image = w @ image + b\n"
    "    return image\n"
    "@jax.jit\ndef update(params, state, x):\n    m, v = state\n"
    "    g = jax.grad(lambda p: jax.vmap(predict, (None, 0))(p, x).sum())(params)\n"
    "    return jax.tree.map(lambda p, m, v, g: p - m * v * g, params, m, v, g)": (
        "update(init_network(layer_sizes, u32[2]), "
        "(init_network(layer_sizes, u32[2]), init_network(layer_sizes, u32[2])), f32[128,784])"
    ),
    "def init_params(key):\n    return {'c': jax.random.normal(key, (3, 3, 1, 4))}\n"
    "@jax.jit\ndef loss(params, images):\n    y = jax.lax.conv_general_dilated(\n"
    "        images, params['c'], (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))\n"
    "    return y.mean()": "loss(init_params(u32[2]), f32[8,32,32,1])",
    "def f(kind, x):\n    return jax.lax.switch(kind, [jnp.sin, jnp.cos], x)": (
        "f(i32[], f32[128,256])"
    ),
    "def f(p, keys):\n    return jax.vmap(lambda k: jax.random.normal(k, p.shape) * p)(keys)": (
        "f(f32[128,256], u32[8,2])"
    ),
    "def f(state, n: int):\n    def step(i, carry):\n        x, v = carry\n"
    "        return x + v, v * 0.9\n    return jax.lax.fori_loop(0, n, step, state)": (
        "f((f32[128,256], f32[128,256]), 1)"
    ),
    "def f(p, x):\n    e = p['router'].shape[1]\n"
    "    d = jax.nn.one_hot(jnp.argmax(x @ p['router'], -1), e)\n"
    "    return jnp.einsum('te,td,edf->tf', d, x, p['wi'])": (
        "f({'router': f32[256,64], 'wi': f32[64,256,256]}, f32[32,256])"
    ),
    "def momentum(lr):\n    def init(params):\n"
    "        return jax.tree.map(jnp.zeros_like, params)\n"
    "    def update(grads, state):\n"
    "        return jax.tree.map(lambda v, g: v + lr * g, state, grads)\n"
    "    return init, update\nopt_init, opt_update = momentum(0.1)\n"
    "def loss(params, batch):\n    x, y = batch\n"
    "    return -(jax.nn.log_softmax(x @ params['w']) * jax.nn.one_hot(y, 10)).mean()\n"
    "@jax.jit\ndef update(params, opt_state, batch):\n"
    "    return opt_update(jax.grad(loss)(params, batch), opt_state)": (
        "update({'w': f32[256,10]}, opt_init(params), (f32[128,256], i32[128]))"
    ),
    "def gru(W_z, U_z, h, x):\n    return jax.nn.sigmoid(x @ W_z + h @ U_z) * h": (
        "gru(f32[256,256], f32[256,256], f32[128,256], f32[128,256])"
    ),
}


@pytest.mark.parametrize(
    ("source", "call"),
    [(TORCH + s, c) for s, c in GUESSES.items()] + [(JAX + s, c) for s, c in OF_JAX.items()],
)
def test_the_guess(source, call):
    found = explore(source)
    assert [p.assumed for p in found.programs] == [call]
    assert f"it is run as {call}" in found.notices[-1].text


def test_a_guess_that_is_given_as_inputs_makes_the_same_program():
    source = TORCH + list(GUESSES)[10]
    (guessed,) = explore(source).programs
    (given,) = explore(source, inputs=guessed.assumed).programs
    assert given.args[0].shape == guessed.args[0].shape and given.assumed == ""
    assert bool((given.fn.l.weight == guessed.fn.l.weight).all())


def test_inputs_alone_leave_constructor_arguments_to_be_guessed():
    source = TORCH + list(GUESSES)[10]
    found = explore(source, inputs="f32[4,256]")
    assert tuple(found.programs[0].args[0].shape) == (4, 256)
    assert "it is run as Net(256, 256)(f32[4,256])" in found.notices[-1].text


VITERBI = """
def viterbi(log_pi, log_A, log_B, obs):
    def forward(delta, o):
        scores = delta[:, None] + log_A
        return scores.max(0) + log_B[:, o], scores.argmax(0)
    delta, back = jax.lax.scan(forward, log_pi + log_B[:, obs[0]], obs[1:])
    last = jnp.argmax(delta)
    def backward(state, ptr):
        return ptr[state], state
    first, path = jax.lax.scan(backward, last, back, reverse=True)
    return jnp.concatenate([first[None], path]), delta.max()


batched_viterbi = jax.vmap(viterbi, in_axes=(None, None, None, 0))
"""


def test_what_takes_several_changes_is_found():
    (found,) = explore(JAX + VITERBI).programs
    assert [str(x.dtype) for x in found.args] == ["float32"] * 3 + ["int32"]


def test_several_programs_are_given_by_name():
    source = TORCH + "def f(x):\n    return x + 1\ndef g(x, n):\n    return x * n\n"
    found = explore(source, inputs="g(f32[2], 3); f(f32[4])")
    assert [(p.name, p.args[1:]) for p in found.programs] == [("g", (3,)), ("f", ())]


def test_what_others_use_is_no_program_of_its_own():
    source = TORCH + "def f(x):\n    return x + 1\ndef g(x):\n    return f(x) * 2\n"
    assert [p.name for p in explore(source).programs] == ["g"]


def test_a_module_of_the_snippet_may_be_what_is_called():
    net = "class Net(nn.Linear):\n  def __init__(self, d_in):\n    super().__init__(d_in, 8)\n"
    found = explore(TORCH + net + "def f(net, x):\n    return net(x) * 2\n")
    assert "f(Net(d_in=256), f32[128,256])" in [p.assumed for p in found.programs]


TRANSFORMED = """
@jax.jit
def price(s, k):
    return jnp.maximum(s - k, 0.0) ** 2
delta = jax.jit(jax.vmap(jax.grad(price), in_axes=(0, None)))
"""


def test_what_is_made_of_a_compiled_function_is_no_other_name_of_it():
    """jax.grad and functools.wraps copy all attributes, that among them by which a wrapper of the
    core says what it wraps: the function itself was run in place of its gradient."""
    delta = {p.name: p for p in explore(JAX + TRANSFORMED).programs}["delta"]
    assert jnp.array_equal(delta.fn(jnp.array([3.0]), 1.0), jnp.array([4.0]))
