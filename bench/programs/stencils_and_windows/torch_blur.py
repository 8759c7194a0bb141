# small: f32[1,3,32,32]
# medium: f32[4,3,256,256]
# large: f32[8,3,1024,1024]
import torch.nn.functional as F


def f(image):
    return F.avg_pool2d(image, 5, stride=1, padding=2) - image
