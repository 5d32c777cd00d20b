"""SuperKernel on Ascend: an operator inside a scope whose kernels become one, held against itself without it."""
