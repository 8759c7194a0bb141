"""The front doors that are no command line: from Python, and from torch.compile."""
