"""The user at the command line, for the audit log."""

import getpass

from tenax.stores.accounts.audit import Actor


def name_actor() -> Actor:
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        # In a container, the user of a process may have no name.
        name = "unknown"
    return Actor(name=name, kind="cli", address=None)
