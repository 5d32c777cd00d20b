"""What was found: artifacts, cases, findings, runs. Plain data with a version, no torch."""
