"""Worker processes: one crawl in several processes under a supervisor.

supervisor.py forks and replaces them, adds up what they report and passes a stop on; child.py is what runs
in each; messages.py is what they say to each other; costs.py what a process used. What a worker does is the
crawl's business, what is shown the doors'. A crawl with one worker needs none of this.
"""
