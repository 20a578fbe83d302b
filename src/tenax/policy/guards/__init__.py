"""Guards against urls that bring nothing: traps, parameters without a meaning, soft 404s. Pure."""
