"""What people who work on Tenax use, and Tenax itself does not."""
