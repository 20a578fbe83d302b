"""`tenax.Crawler`: crawls as programs write them.

definition.py says what a crawler crawls, with which parsers, and where it is kept; crawler.py runs it.
process.py is the process behind `run`: it is forked with the live parsers, starts the crawl in another
process and sends committed items; stream.py is the end of the program that reads them. The program itself
never opens the store and has no thread or event loop of ours. apps.py finds the crawlers of scripts;
notes.py says what went wrong in a run.
"""
