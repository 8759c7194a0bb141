"""The ladder of torch.compile's back ends: the first rung on which a program fails or differs."""
