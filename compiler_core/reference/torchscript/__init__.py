"""TorchScript: a program compiled from its source, and traced from one call."""
