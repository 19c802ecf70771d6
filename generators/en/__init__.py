"""What documents say in English."""
