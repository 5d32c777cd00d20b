"""What is asked of an operator: one module a check, one table of them all."""
