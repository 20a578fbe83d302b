"""When a job runs: intervals, active hours, slots, states. Pure."""
