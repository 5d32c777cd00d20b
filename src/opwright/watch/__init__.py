"""Memory that tells what is done to it: guards around tensors, a known content of fresh memory."""
