"""Every process of Tenax besides the command line and the API.

session.py runs one crawl for `tenax crawl`, in its own process or under a supervisor. supervisor.py forks
workers (process.py), replaces the dead ones, adds up their reports and passes a stop on; child.py is what
runs in each of them, and messages.py is their protocol. daemon.py is `tenax worker`: it waits for runs
(run_finder.py) and forks a supervisor for each (run_processes.py). consume.py does the same for the runs that
a broker names. subprocess.py starts such programs from a process that cannot fork, and subprocess_main.py is
what they run.

What a worker does belongs to `crawl`, what is shown to `cli`: views.py and the observers are its contracts.
"""
