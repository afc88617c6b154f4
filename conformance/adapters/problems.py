"""What is wrong with an adapter before it is played."""


class AdapterError(Exception):
    """An adapter that cannot be used as it is. The message says what is wrong and what to do."""
