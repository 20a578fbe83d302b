"""The command line: parses, calls one function, shows the result. No SQL, no policy.

app.py knows the commands by name and loads the one that is called; commands/ holds a file per noun.
"""
