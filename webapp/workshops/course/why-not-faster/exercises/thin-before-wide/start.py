"""A low-rank adapter, from the right"""

# inputs: f32[1024,1024], f32[1024,16], f32[16,1024]


def adapted(x, down, up):
    return x @ (down @ up)
