import dataclasses
import math
import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Linear:
    w: jax.Array
    b: jax.Array

    @classmethod
    def init(cls, key, i, o):
        return cls(jax.nn.initializers.glorot_uniform()(key, (i, o)), jnp.zeros(o))

    def __call__(self, x):
        return x @ self.w + self.b


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class LSTMCell:
    gates: Linear
    hidden: int = dataclasses.field(metadata=dict(static=True))

    def __call__(self, state, x):
        h, c = state
        i, f, g, o = jnp.split(self.gates(jnp.concatenate([x, h], -1)), 4, -1)
        c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Tagger:
    emb: jax.Array
    fwd: LSTMCell
    bwd: LSTMCell
    out: Linear
    trans: jax.Array

    def emissions(self, tokens):
        x = self.emb[tokens]
        z = jnp.zeros(self.fwd.hidden)
        _, hf = jax.lax.scan(lambda s, x: self.fwd(s, x), (z, z), x)
        _, hb = jax.lax.scan(lambda s, x: self.bwd(s, x), (z, z), x, reverse=True)
        return self.out(jnp.concatenate([hf, hb], -1))


def crf_nll(model, tokens, tags, length):
    e = model.emissions(tokens)
    mask = jnp.arange(len(tokens)) < length
    score = jnp.sum(jnp.where(mask, jnp.take_along_axis(e, tags[:, None], 1)[:, 0], 0.0))
    score += jnp.sum(jnp.where(mask[1:], model.trans[tags[:-1], tags[1:]], 0.0))

    def step(a, t):
        e_t, m = t
        new = jax.nn.logsumexp(a[:, None] + model.trans, 0) + e_t
        return jnp.where(m, new, a), None
    a, _ = jax.lax.scan(step, e[0], (e[1:], mask[1:]))
    return jax.nn.logsumexp(a) - score


@jax.jit
def step(model, tokens, tags, lengths):
    loss = lambda m: jax.vmap(crf_nll, (None, 0, 0, 0))(m, tokens, tags, lengths).mean()
    value, g = jax.value_and_grad(loss)(model)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, model, g)


ks = jax.random.split(jax.random.PRNGKey(0), 5)
model = Tagger(jax.random.normal(ks[0], (20, 8)), LSTMCell(Linear.init(ks[1], 16, 32), 8), LSTMCell(Linear.init(ks[2], 16, 32), 8),
               Linear.init(ks[3], 16, 5), jnp.zeros((5, 5)))
tok = jax.random.randint(ks[4], (3, 7), 0, 20)
value, model = step(model, tok, tok % 5, jnp.array([7, 4, 1]))
print(value)
