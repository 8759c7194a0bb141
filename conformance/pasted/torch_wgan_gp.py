import torch
from torch import nn, autograd

class Generator(nn.Module):
    def __init__(self, latent_dim=64, img_dim=784):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent_dim, 128), nn.LeakyReLU(0.2), nn.Linear(128, img_dim), nn.Tanh())
    def forward(self, z):
        return self.net(z)

class Critic(nn.Module):
    def __init__(self, img_dim=784):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(img_dim, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
    def forward(self, x):
        return self.net(x)

def compute_gradient_penalty(D, real_samples, fake_samples):
    alpha = torch.rand(real_samples.size(0), 1)
    interpolates = (alpha * real_samples + (1 - alpha) * fake_samples).requires_grad_(True)
    d_interpolates = D(interpolates)
    fake = torch.ones(real_samples.size(0), 1)
    gradients = autograd.grad(outputs=d_interpolates, inputs=interpolates, grad_outputs=fake,
                              create_graph=True, retain_graph=True, only_inputs=True)[0]
    gradients = gradients.view(gradients.size(0), -1)
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()

def train_critic(generator, critic, opt_c, real, lambda_gp=10.0):
    opt_c.zero_grad()
    z = torch.randn(real.size(0), 64)
    fake = generator(z).detach()
    gp = compute_gradient_penalty(critic, real, fake)
    loss = -critic(real).mean() + critic(fake).mean() + lambda_gp * gp
    loss.backward()
    opt_c.step()
    return loss.item()

G, D = Generator(), Critic()
opt = torch.optim.Adam(D.parameters(), lr=1e-4, betas=(0.5, 0.9))
for step in range(3):
    real = torch.rand(32, 784) * 2 - 1
    loss = train_critic(G, D, opt, real)
    print(step, loss)
