"""The rules that a description has to keep, by field. Each raises `SpecError` without saying where."""
