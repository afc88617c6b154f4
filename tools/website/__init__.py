"""The documentation as a site: what goes into it, how Sphinx is told, and how it is looked at."""
