import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, in_features, hidden, out_features, dropout=0.1):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.fc2 = nn.Linear(hidden, out_features)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(x))))
