"""The plain values that all packages share. No behavior beyond what a value knows about itself."""
