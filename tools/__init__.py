"""Tools for the development of Tenax, which Tenax itself does not use."""
