import jax
import jax.numpy as jnp
from jax import lax


def flatten_beam(x):
    return x.reshape((x.shape[0] * x.shape[1],) + x.shape[2:])


def beam_search(logits_fn, params, batch_size, beam_size, max_len, bos_id=1, eos_id=2, alpha=0.6):
    seqs = jnp.full((batch_size, beam_size, max_len), 0, jnp.int32).at[:, :, 0].set(bos_id)
    scores = jnp.tile(jnp.array([0.0] + [-1e7] * (beam_size - 1)), (batch_size, 1))
    done = jnp.zeros((batch_size, beam_size), bool)

    def cond(state):
        i, seqs, scores, done = state
        return (i < max_len) & ~jnp.all(done)

    def body(state):
        i, seqs, scores, done = state
        logp = jax.nn.log_softmax(logits_fn(params, flatten_beam(seqs), i))
        V = logp.shape[-1]
        logp = logp.reshape(batch_size, beam_size, V)
        frozen = jnp.where(jnp.arange(V) == eos_id, 0.0, -jnp.inf)
        logp = jnp.where(done[..., None], frozen, logp)
        total = (scores[..., None] + logp).reshape(batch_size, -1)
        scores, idx = lax.top_k(total, beam_size)
        beam, tok = idx // V, idx % V
        seqs = jnp.take_along_axis(seqs, beam[..., None], axis=1)
        seqs = lax.dynamic_update_slice(seqs, tok[..., None].astype(jnp.int32), (0, 0, i))
        done = jnp.take_along_axis(done, beam, axis=1) | (tok == eos_id)
        return i + 1, seqs, scores, done

    i, seqs, scores, done = lax.while_loop(cond, body, (1, seqs, scores, done))
    penalty = ((5.0 + jnp.sum(seqs != 0, -1)) / 6.0) ** alpha
    return seqs, scores / penalty


def toy_logits(params, seqs, i):
    last = lax.dynamic_index_in_dim(seqs, i - 1, axis=1, keepdims=False)
    return params["emb"][last] @ params["out"]


k1, k2 = jax.random.split(jax.random.key(7))
params = {"emb": jax.random.normal(k1, (11, 16)), "out": jax.random.normal(k2, (16, 11))}
seqs, scores = jax.jit(beam_search, static_argnums=(0, 2, 3, 4))(toy_logits, params, 2, 3, 9)
print(seqs, scores)
