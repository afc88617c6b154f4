"""Environments of their own for libraries, so that versions that cannot live together stand side by side in one run.

``conformance env litellm --version 1.82.0`` makes one, ``env:litellm@1.82.0`` is its address. Whoever starts a worker
asks `find` for the Python to start it with, and for the address to give to it there: in the environment this project is
installed beside the library, so everything runs there as it does here.
"""

from conformance.environments.finding import Environment, find

__all__ = ["Environment", "find"]
