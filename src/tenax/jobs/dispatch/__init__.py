"""How a run that was opened reaches workers: they poll the store (inline), or a broker tells them (celery).

The store is the truth either way: a message says "look at this task" and nothing more. Celery, kombu and amqp
stay in celery.py and consumer.py. The contract is in base.py.
"""
