"""The contracts of the store, by noun. Every method is one transaction; a raised StoreError wrote nothing."""
