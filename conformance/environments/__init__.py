"""Environments of their own for libraries, so that versions that cannot live together stand side by side in one run.

``conformance env litellm --version 1.82.0`` makes one, ``env:litellm@1.82.0`` is its address. Who starts an adapter
asks `find` for the Python to start the adapter's child with, and for the address to give to it there. Nothing of this
project is installed in an environment: the child is given the folder of the bundle (`conformance.environments.bundle`).
"""

from conformance.environments.finding import Environment, find

__all__ = ["Environment", "find"]
