"""From an operator description to the C++ of its binding, and to the build that makes it."""
