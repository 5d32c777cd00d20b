"""What only a device with streams can be asked."""
