"""Pictures of measurements. They need matplotlib, so only what draws imports them."""
