"""Starts jobs when they are due, opens their runs, and concludes their executions."""
