"""The run side: finished libraries become operators that PyTorch's dispatcher knows."""
