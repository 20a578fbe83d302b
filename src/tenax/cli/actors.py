"""Who sits at the command line, for the audit log."""

import getpass

from tenax.stores.accounts.audit import Actor


def name_actor() -> Actor:
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        # A container may run a process whose user has no name.
        name = "unknown"
    return Actor(name=name, kind="cli", address=None)
