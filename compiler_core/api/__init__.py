"""Front ends in Python: `explore`, and the back end of torch.compile."""
