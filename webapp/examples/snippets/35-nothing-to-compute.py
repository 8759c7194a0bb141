"""Times one, plus zero, minus minus: what algebra takes out"""

# inputs: f32[256,256]


def same(x):
    y = x * 1 + 0
    z = -y
    return -z / 2 + -z * 0.5
