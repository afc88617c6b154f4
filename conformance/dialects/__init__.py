"""Dialects of requests: other spellings of what the reference adapter sends, which the provider takes for the same."""
