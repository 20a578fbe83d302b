"""What every request passes before its route: connection limits, host and size checks, authentication,
authorization, per-client turns, the audit log.
"""
