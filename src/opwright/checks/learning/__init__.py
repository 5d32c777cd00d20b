"""What is asked of an operator in a model that learns: gradients, the dispatcher, compilers, transforms."""
