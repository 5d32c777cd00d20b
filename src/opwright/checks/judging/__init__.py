"""From what a call gave to findings: outputs, refusals, and programs that show them."""
