import torch


def render(scene, camera):
    return scene.geometry.intersect(camera.rays()).shade(torch.tensor([1.0, 0.0, 0.0]))
