"""The second way to a torch program's ATen calls: TorchDynamo and AOTAutograd, where the whole is
not one graph, or where gradients are asked for."""
