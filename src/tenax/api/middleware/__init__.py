"""What every request passes before its route: connection limits, host and size checks, authentication,
authorization, limits on concurrent requests, the audit log.
"""
