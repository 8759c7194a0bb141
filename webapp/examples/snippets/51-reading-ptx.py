"""Two vectors added: Triton, PTX and SASS, line by line"""

# inputs: f32[65536], f32[65536]


def add(x, y):
    return x + y
