"""State of the process that operators have to leave alone, as texts to compare."""
