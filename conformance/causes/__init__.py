"""Failures of one cause: found, counted, and put in order, the most important first."""
