"""The ladder of torch.compile's back ends: on which rung a program first fails or differs."""
