"""From a `BuildRequest` to an `Artifact` in the store: built once, found again for as long as it is right."""
