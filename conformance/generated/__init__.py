"""Scenarios that are made, not written: from what formats have."""
