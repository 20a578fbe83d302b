"""One file per command, loaded when it is called. Each has an `app` for cli/app.py."""
