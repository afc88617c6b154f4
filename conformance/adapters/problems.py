"""What is wrong with an adapter before it is played."""


from __future__ import annotations

from conformance.obstacles import Obstacle


class AdapterError(Exception):
    """An adapter that cannot be used as it is. The message says what is wrong and what to do.

    ``obstacle`` is there where a library's shim could not be loaded, and says whose doing that is.
    """

    def __init__(self, message: str = "", obstacle: Obstacle | None = None) -> None:
        super().__init__(message)
        self.obstacle = obstacle
