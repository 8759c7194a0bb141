import jax, jax.numpy as jnp
import optax

def init_params(key, sizes=(8, 32, 1)):
    params = []
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:])):
        key, sub = jax.random.split(key)
        params.append({"w": jax.random.normal(sub, (m, n)) / jnp.sqrt(m), "b": jnp.zeros(n)})
    return params

def forward(params, x):
    for p in params[:-1]:
        x = jax.nn.relu(x @ p["w"] + p["b"])
    return x @ params[-1]["w"] + params[-1]["b"]

schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 10, 100)
tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))

@jax.jit
def step(params, opt_state, x, y):
    def loss_fn(p):
        return jnp.mean((forward(p, x) - y) ** 2)
    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss

params = init_params(jax.random.PRNGKey(0))
opt_state = tx.init(params)
x = jax.random.normal(jax.random.PRNGKey(1), (64, 8))
y = x.sum(1, keepdims=True)
for i in range(3):
    params, opt_state, loss = step(params, opt_state, x, y)
