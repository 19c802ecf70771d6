"""What documents say in Chinese."""
