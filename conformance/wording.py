"""Text of others in messages of ours: on one line, printable, and of bounded length."""

from __future__ import annotations

import re

MAX_MESSAGE = 1500
"""How many characters a message may have; what is longer loses its middle."""

_LINE_ENDS = re.compile(r"[\r\n]+")


def on_one_line(text: str, most: int = MAX_MESSAGE) -> str:
    """``text`` as one line: without line ends, and with escapes for what cannot be printed."""
    if len(text) > most:
        text = f"{text[: most // 2]} … {text[-(most // 3) :]}"
    first, *others = _LINE_ENDS.split(text)
    words = [first.rstrip(), *filter(None, map(str.strip, others[:-1])), *(last.lstrip() for last in others[-1:])]
    line = " ".join(words) if others else text
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)


class LineError(ValueError):
    """What is wrong with a file or a value, told in one line, whatever of it stands in the message."""

    def __init__(self, message: str) -> None:
        super().__init__(on_one_line(message))
