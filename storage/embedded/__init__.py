"""The stores that need nothing but a folder: SQLite files that several processes of one machine share."""
