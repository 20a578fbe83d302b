"""The command line: parses arguments, calls one function, shows the result. No SQL, no policy.

app.py knows the commands by name and loads the one that is called. commands/ has a file for each; the modules
beside it are what several of them share; show/ is how things are shown.
"""
