"""What is wanted: operators, their tensors and sizes, targets and builds. Plain data, no torch."""
