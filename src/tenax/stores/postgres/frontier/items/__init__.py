"""The items of a settled batch, in PostgreSQL. See stores/hot/items/."""
