"""Which compiler builds for which target, what identifies it, and how it is called."""
