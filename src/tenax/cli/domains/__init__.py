"""What the commands about domains share: how a domain is named, and the actions on one."""
