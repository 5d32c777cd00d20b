"""What is learned of an operator before it is asked: its rows, whether it is elementwise."""
