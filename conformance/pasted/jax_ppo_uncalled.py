import jax, jax.numpy as jnp
from typing import NamedTuple

class Transition(NamedTuple):
    done: jnp.ndarray
    action: jnp.ndarray
    value: jnp.ndarray
    reward: jnp.ndarray
    log_prob: jnp.ndarray
    obs: jnp.ndarray

def calculate_gae(traj_batch, last_val, gamma=0.99, lam=0.95):
    def _get_advantages(gae_and_next_value, transition):
        gae, next_value = gae_and_next_value
        done, value, reward = transition.done, transition.value, transition.reward
        delta = reward + gamma * next_value * (1 - done) - value
        gae = delta + gamma * lam * (1 - done) * gae
        return (gae, value), gae
    _, advantages = jax.lax.scan(_get_advantages, (jnp.zeros_like(last_val), last_val), traj_batch, reverse=True, unroll=16)
    return advantages, advantages + traj_batch.value

def network(params, x):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    return h @ params["wp"], (h @ params["wv"])[..., 0]

def loss_fn(params, traj_batch, gae, targets, clip_eps=0.2):
    logits, value = network(params, traj_batch.obs)
    logp = jax.nn.log_softmax(logits)
    log_prob = jnp.take_along_axis(logp, traj_batch.action[..., None], -1)[..., 0]
    value_pred_clipped = traj_batch.value + (value - traj_batch.value).clip(-clip_eps, clip_eps)
    value_loss = 0.5 * jnp.maximum(jnp.square(value - targets), jnp.square(value_pred_clipped - targets)).mean()
    ratio = jnp.exp(log_prob - traj_batch.log_prob)
    gae = (gae - gae.mean()) / (gae.std() + 1e-8)
    loss_actor = -jnp.minimum(ratio * gae, jnp.clip(ratio, 1.0 - clip_eps, 1.0 + clip_eps) * gae).mean()
    entropy = -(jnp.exp(logp) * logp).sum(-1).mean()
    return loss_actor + 0.5 * value_loss - 0.01 * entropy
