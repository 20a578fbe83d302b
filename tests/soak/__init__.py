"""What takes minutes: a service under load, beside itself without it."""
