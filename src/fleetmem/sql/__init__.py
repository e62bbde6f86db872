"""Named SQL statements, one file a noun, read as package resources."""
