"""A product of transposes, turned round"""

# inputs: f32[256,128], f32[128,64]


def turned(x, w):
    return (w.T @ x.T).T
