"""Graph modes: an operator as it is, held against itself inside a captured or compiled graph."""
