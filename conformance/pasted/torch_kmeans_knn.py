import torch

def kmeans(x, k, iters=10):
    c = x[torch.randperm(x.shape[0])[:k]]
    for _ in range(iters):
        a = torch.cdist(x, c).argmin(1)
        for j in range(k):
            if (a == j).any():
                c[j] = x[a == j].mean(0)
    return c, a

def knn(train_x, train_y, test_x, k=5):
    d = torch.cdist(test_x, train_x)
    idx = d.topk(k, largest=False).indices
    return train_y[idx].mode(1).values

def pca(x, k):
    x = x - x.mean(0)
    u, s, v = torch.pca_lowrank(x, q=k, center=False)
    return x @ v[:, :k]

x = torch.randn(200, 8)
kmeans(x, 4)
knn(x, torch.randint(0, 3, (200,)), torch.randn(20, 8))
