"""The tables, the DDL generated from them, and the migrations."""
