"""What the commands about domains share: how a domain is named, and what a user can do with one."""
