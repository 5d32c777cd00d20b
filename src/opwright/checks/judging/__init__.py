"""From what a call gave to findings: outputs, refusals, regions of values."""
