"""Sources, jobs, executions and tasks, as functions of a connection."""
