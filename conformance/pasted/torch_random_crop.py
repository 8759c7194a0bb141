import random
import torch
def augment(img):
    i = random.randint(0, 8)
    j = random.randint(0, 8)
    if random.random() < 0.5:
        img = img.flip(-1)
    return img[:, i:i + 24, j:j + 24]

def cutout(img, size=8):
    c, h, w = img.shape
    y = random.randint(0, h - size)
    x = random.randint(0, w - size)
    img = img.clone()
    img[:, y:y + size, x:x + size] = 0
    return img
x = torch.rand(3, 32, 32)
for _ in range(3):
    out = cutout(augment(x))
