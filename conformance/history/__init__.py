"""A library over time: its releases, each in an environment of its own, and what came of each (docs/history.md)."""
