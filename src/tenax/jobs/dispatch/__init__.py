"""How an opened run reaches workers: they poll the store (inline), or a broker notifies them (celery).

The store is authoritative either way: a message only says "check this task". Celery, kombu and amqp
stay in celery.py and consumer.py. The contract is in base.py.
"""
