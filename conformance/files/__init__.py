"""Files that are written whole, by one process at a time, and through what is no regular file."""
