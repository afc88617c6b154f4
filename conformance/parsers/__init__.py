"""Parsers as subjects: what a model writes goes in, as text or as tokens; text and calls come out.

    grammar + scenario ──▶ written text ──▶ plays (whole, cut, cut off) ──▶ news ──▶ rules ──▶ verdict

A grammar (`conformance.parsers.grammar`) says how a family of models writes text, thinking and calls. A case is a turn
of a scenario in that writing. The parser lives in a child process (`conformance.parsers.subject`), which is asked to
play the text in pieces, and tells what it has read as news. docs/parsers.md is for users.
"""

PREFIX = "parser:"
"""What a parser's address begins with."""
