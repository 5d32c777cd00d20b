"""Timings that can be trusted: clocks, samples, and what may be concluded from them."""
