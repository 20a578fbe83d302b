"""The items of a settled batch, in SQLite. See stores/hot/items/."""
