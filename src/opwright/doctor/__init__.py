"""What this machine can build and run, why not the rest, and what to do about it."""
