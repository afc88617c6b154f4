"""Clients around public libraries. Each is a small file that calls its library and repairs nothing it does."""
