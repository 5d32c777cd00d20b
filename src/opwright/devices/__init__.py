"""The devices of this machine, as torch sees them: the run side."""
