"""Inputs that only the code says: what is a number, what is several, how many dimensions there
are."""

import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

TORCH = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
# A definition, and what it is called with.
NUMBERS = {
    "def window_reverse(windows, window_size, H, W):\n"
    "    B = int(windows.shape[0] / (H * W / window_size / window_size))\n"
    "    x = windows.view(B, H // window_size, W // window_size, window_size, window_size, -1)\n"
    "    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, -1)": (
        "window_reverse(f32[128,256], 16, 32, 32)"
    ),
    "def halves(x, n):\n    return x // n": "halves(f32[128,256], 1)",
    "def heads(x, parts):\n    each = x.shape[-1] // parts\n"
    "    return torch.reshape(x, (-1, parts, each))": "heads(f32[128,256], 256)",
}
OF_JAX = {
    "def unpatchify(tokens, patch_size, h, w):\n    b, n, d = tokens.shape\n"
    "    gh, gw = h // patch_size, w // patch_size\n"
    "    x = tokens.reshape(b, gh, gw, patch_size, patch_size, -1)\n"
    "    return jnp.einsum('bhwpqc->bhpwqc', x).reshape(b, h, w, -1)": (
        "unpatchify(f32[8,32,256], 4, 32, 32)"
    ),
}
SEVERAL = {
    "class Grid(nn.Module):\n    def __init__(self, input_resolution, dim):\n"
    "        super().__init__()\n        self.size = input_resolution\n"
    "        self.l = nn.Linear(dim, dim)\n    def forward(self, x):\n"
    "        h, w = self.size\n        return self.l(x) * (h * w)": (
        "Grid((32, 32), 256)(f32[128,256])"
    ),
    "class Scaled(nn.Module):\n    def __init__(self, img_size):\n        super().__init__()\n"
    "        h, w = img_size\n        self.area = h * w\n    def forward(self, x):\n"
    "        return x / self.area": "Scaled((32, 32))(f32[128,256])",
    "class Pooled(nn.Module):\n    def __init__(self, widths):\n        super().__init__()\n"
    "        self.widths = widths\n    def forward(self, x):\n"
    "        return sum(x[:, :n].mean() for n in self.widths)": (
        "Pooled([256, 64, 16])(f32[128,256])"
    ),
}
RANKS = {
    "def dice_bce_loss(logits, targets, valid_mask, smooth=1.0):\n"
    "    probs = logits.sigmoid()\n    m = valid_mask.bool()\n"
    "    inter = (probs * targets).masked_fill(~m, 0).sum(dim=(1, 2, 3))\n"
    "    union = (probs + targets).masked_fill(~m, 0).sum(dim=(1, 2, 3))\n"
    "    dice = 1 - (2 * inter + smooth) / (union + smooth)\n"
    "    bce = F.binary_cross_entropy_with_logits(logits, targets, reduction='none')\n"
    "    return dice.mean() + bce[m].mean()": (
        "dice_bce_loss(f32[8,16,32,32], f32[8,16,32,32], f32[8,16,32,32])"
    ),
    "def energy(x):\n    return torch.square(x).mean((1, 2))": "energy(f32[8,32,256])",
}
# Columns that are taken apart, and what places are taken by.
COLUMNS = {
    "def matrix(axis):\n    k = axis / axis.norm(dim=-1, keepdim=True)\n"
    "    x, y, z = k.unbind(-1)\n    return torch.stack([-z, y, x], -1)": "matrix(f32[128,3])",
    "def area(p):\n    x1, y1, x2, y2 = p.T\n    return (x2 - x1) * (y2 - y1)": (
        "area(f32[128,4])"
    ),
    "class CRF(nn.Module):\n    def __init__(self, n: int):\n        super().__init__()\n"
    "        self.t = nn.Parameter(torch.randn(n, n))\n"
    "    def forward(self, emissions, tags):\n        return self._score(emissions, tags)\n"
    "    def _score(self, emissions, tags):\n        batch = torch.arange(emissions.shape[0])\n"
    "        first = (emissions[:, 0] + self.t[0]).sum()\n"
    "        return emissions[batch, 0, tags[:, 0]] + self.t[tags[:, 0], tags[:, 1]] + first": (
        "CRF(256)(f32[8,32,256], i64[8,32])"
    ),
    "class Noise:\n    def __init__(self, betas):\n"
    "        self.a = torch.cumprod(1.0 - betas, dim=0).sqrt()\n    def add(self, x, t):\n"
    "        a = self.a[t].view(-1, 1, 1, 1)\n        return a * x": (
        "Noise.add(f32[256])(f32[8,16,32,32], i64[8])"
    ),
    "def distill(student, teacher, x, opt):\n    teacher.eval()\n"
    "    loss = F.mse_loss(student(x), teacher(x).detach())\n    loss.backward()\n"
    "    opt.step()\n    opt.zero_grad()\n    return loss": (
        "distill(nn.Linear(256, 256), nn.Linear(256, 256), f32[128,256], "
        "torch.optim.Adam(student.parameters()))"
    ),
    "def gae(rewards, discounts, next_value):\n    acc, found = next_value, []\n"
    "    for r, d in zip(rewards, discounts):\n        acc = r + d * acc\n"
    "        found.append(acc)\n    return torch.stack(found)": "gae(f32[128], f32[128], f32[])",
    "def generate(model, idx, max_new_tokens):\n    for _ in range(max_new_tokens):\n"
    "        logits = model(idx)\n        logits = logits[:, -1, :]\n"
    "        idx = torch.cat((idx, logits.argmax(-1, keepdim=True)), dim=1)\n    return idx": (
        "generate(nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 1000)), i64[8,32], 8)"
    ),
}
IN_SPACE = {
    "def render(rgb, sigma, z_vals, dirs):\n"
    "    dists = jnp.pad(jnp.diff(z_vals), ((0, 0), (0, 1)))\n"
    "    dists = dists * jnp.linalg.norm(dirs[..., None, :], axis=-1)\n"
    "    weights = 1.0 - jnp.exp(-sigma[..., 0] * dists)\n"
    "    return (weights[..., None] * rgb).sum(-2)": (
        "render(f32[128,32,3], f32[128,32,1], f32[128,32], f32[128,3])"
    ),
    "def accelerations(pos, mass):\n    r = pos[:, None] - pos[None]\n"
    "    return (mass[None, :, None] * r).sum(1)": "accelerations(f32[128,3], f32[128])",
    "def nll(params, X, y):\n    d = ((X[:, None] - X[None]) ** 2).sum(-1)\n"
    "    K = jnp.exp(-d / jnp.exp(params['log_l'])) + jnp.eye(len(y))\n"
    "    return y @ jnp.linalg.solve(K, y)": "nll({'log_l': f32[]}, f32[128,256], f32[128])",
    "def call(S, K, T, r):\n    return jnp.maximum(S - K * jnp.exp(-r * T), 0)": (
        "call(f32[128]~uniform(0.1,1), f32[]~uniform(0.1,1), f32[]~uniform(0.1,1), "
        "f32[]~uniform(0.1,1))"
    ),
    "def spread(f, x):\n    # f: (9, ny, nx)\n"
    "    return jnp.einsum('i,iyx->yx', jnp.ones(9), f) * x": (
        "spread(f32[9,32,32], f32[8,16,32,32])"
    ),
}


@pytest.mark.parametrize(
    ("source", "call"),
    [(TORCH + s, c) for s, c in (NUMBERS | SEVERAL | RANKS | COLUMNS).items()]
    + [(JAX + s, c) for s, c in (OF_JAX | IN_SPACE).items()],
)
def test_the_guess(source, call):
    found = explore(source)
    assert [p.assumed for p in found.programs] == [call]


# One dict of parameters for each block, which is spread or read by texts.
BLOCKS = {
    "spread": "x = block(x, **b)",
    "by texts": "x = block(x, b['mlp'], b['ln'])",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_are_a_list_of_dicts(name):
    found = explore(
        JAX + "def linear(x, w, b):\n    return x @ w + b\n"
        "def norm(x, g, b):\n    return g * (x - x.mean(-1, keepdims=True)) + b\n"
        "def block(x, mlp, ln):\n    return x + jnp.tanh(linear(norm(x, **ln), **mlp))\n"
        "def model(ids, wte, blocks):\n    x = wte[ids]\n    for b in blocks:\n"
        f"        {BLOCKS[name]}\n    return x @ wte.T"
    )
    assert [p.name for p in found.programs] == ["model"], [n.text for n in found.notices]
    assert found.programs[0].assumed.count("'mlp': {'w': f32[256,256], 'b': f32[256]}") == 2


SIZED = {
    "class Critic(nn.Module):\n    def __init__(self, state_dim, action_dim):\n"
    "        super().__init__()\n        self.q = nn.Linear(state_dim + action_dim, 1)\n"
    "    def forward(self, s, a):\n        return self.q(torch.cat([s, a], -1))": (
        "Critic(16, 10)(f32[128,16], f32[128,10])"
    ),
    "class CharRNN(nn.Module):\n    def __init__(self, input_size, hidden_size, output_size):\n"
    "        super().__init__()\n"
    "        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)\n"
    "        self.i2o = nn.Linear(input_size + hidden_size, output_size)\n"
    "    def forward(self, input, hidden):\n        both = torch.cat((input, hidden), 1)\n"
    "        return self.i2o(both).log_softmax(1), self.i2h(both)": (
        "CharRNN(256, 512, 10)(f32[128,256], f32[128,512])"
    ),
}


@pytest.mark.parametrize("source", SIZED)
def test_a_constructor_says_sizes_by_their_names(source):
    assert [p.assumed for p in explore(TORCH + source).programs] == [SIZED[source]]


DIFFERENTIATED = """
import jax, jax.numpy as jnp
def loss_fn(params, batch):
    return jnp.mean((batch["x"] @ params["w"] - batch["y"]) ** 2)
@jax.jit
def train_step(params, batch):
    BODY
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
"""
BODIES = {
    "at once": "grads = jax.grad(loss_fn)(params, batch)",
    "by a name": "f = jax.value_and_grad(loss_fn); loss, grads = f(params, batch)",
}


@pytest.mark.parametrize("how", BODIES)
def test_a_function_that_is_differentiated_says_what_its_arguments_are(how):
    found = explore(DIFFERENTIATED.replace("BODY", BODIES[how]))
    assert found.error is None
    assert any("{'x': f32[128,256], 'y': f32[128,256]}" in n.text for n in found.notices)
