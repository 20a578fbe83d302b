"""What a crawl says about itself: explain, the doctor, progress, metrics, heartbeats. Reads and reports;
never changes the crawl.
"""
