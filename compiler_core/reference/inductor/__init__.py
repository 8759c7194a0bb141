"""TorchInductor: a program compiled by it, and the steps that led there."""
