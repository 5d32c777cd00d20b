"""A device of PyTorch's that is simulated on the CPU, for what only a device with streams can show."""
