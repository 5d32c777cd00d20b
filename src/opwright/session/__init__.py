"""The one place where the compile side and the run side meet."""
