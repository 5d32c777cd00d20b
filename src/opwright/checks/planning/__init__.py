"""What the plans of checks have in common: choices of arguments, and simpler cases."""
