# small: f32[128,128]
# medium: f32[1024,1024]
# large: f32[4096,4096]


def f(x):
    return (x * x).sum(dim=1)
