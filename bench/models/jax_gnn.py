"""Message passing in JAX: attention over each node's edges by segment_max and segment_sum"""

import jax
import jax.numpy as jnp

NODES, EDGES, FEATURES, CLASSES = 200, 1000, 32, 7


def attention(p, x, source, target):
    h = x @ p["w"]
    score = jax.nn.leaky_relu((h @ p["source"])[source] + (h @ p["target"])[target], 0.2)
    most = jax.ops.segment_max(score, target, NODES)
    weight = jnp.exp(score - jax.lax.stop_gradient(most)[target])
    total = jax.ops.segment_sum(weight, target, NODES)
    return jax.ops.segment_sum((weight / total[target])[:, None] * h[source], target, NODES)


@jax.jit
def forward(params, x, source, target):
    hidden = jax.nn.elu(attention(params[0], x, source, target))
    return attention(params[1], hidden, source, target)


@jax.jit
def train(params, x, source, target, labels):
    def loss_fn(params):
        log_odds = jax.nn.log_softmax(forward(params, x, source, target))
        return -log_odds[jnp.arange(NODES), labels].mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


def layer(key, inputs, outputs):
    a, b, c = jax.random.split(key, 3)
    return {
        "w": jax.random.normal(a, (inputs, outputs)) * inputs**-0.5,
        "source": jax.random.normal(b, (outputs,)) * 0.1,
        "target": jax.random.normal(c, (outputs,)) * 0.1,
    }


keys = jax.random.split(jax.random.key(0), 6)
params = [layer(keys[0], FEATURES, 64), layer(keys[1], 64, CLASSES)]
x = jax.random.normal(keys[2], (NODES, FEATURES))
source, target = (jax.random.randint(k, (EDGES,), 0, NODES) for k in keys[3:5])
forward(params, x, source, target)
train(params, x, source, target, jax.random.randint(keys[5], (NODES,), 0, CLASSES))
