"""Processes that end with the one that wanted them, with all that they started."""
