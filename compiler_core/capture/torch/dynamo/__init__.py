"""The second way from a torch program to its ATen calls: TorchDynamo and AOTAutograd, for programs
that are not one graph or that ask for gradients."""
