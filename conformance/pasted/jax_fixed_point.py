import functools
import jax
import jax.numpy as jnp


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def clip_st(x, lo):
    return jnp.maximum(x, lo)


@clip_st.defjvp
def _(lo, primals, tangents):
    return clip_st(primals[0], lo), tangents[0]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def fixed_point(f, a, x0):
    return jax.lax.while_loop(lambda c: jnp.max(jnp.abs(c[0] - c[1])) > 1e-5, lambda c: (c[1], f(a, c[1])), (x0, f(a, x0)))[1]


def fwd(f, a, x0):
    x = fixed_point(f, a, x0)
    return x, (a, x)


def rev(f, res, g):
    a, x = res
    _, vjp_a = jax.vjp(lambda a: f(a, x), a)
    _, vjp_x = jax.vjp(lambda x: f(a, x), x)
    w = jax.lax.fori_loop(0, 30, lambda i, w: g + vjp_x(w)[0], g)
    return vjp_a(w)[0], jnp.zeros_like(x)


fixed_point.defvjp(fwd, rev)


@jax.jit
@jax.grad
def newton_grad(a):
    return clip_st(jnp.sum(fixed_point(lambda a, x: 0.5 * (x + a / x), a, jnp.ones_like(a))), 0.0)


print(newton_grad(jnp.array([2.0, 3.0])))
