"""A reduction takes in what comes before it"""

# inputs: f32[512,512]


def spread(x):
    return ((x - 0.5) ** 2).sum(-1)
