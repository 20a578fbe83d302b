"""Whether parsers and items are as good as they were. Pure: figures of the past and of today → findings."""
