"""The life of a run around its visits: opened, seeded, its rules applied to known urls, pages requeued."""
