"""Arguments for a tool, made from nothing but its schema: always the same, and always valid.

`arguments_for` gives the arguments of a kind, `value_for` a value of any schema. What is made is held against the
schema by a validator, place by place and as a whole. Where no value is found, `NoArgumentsError` says so: a schema may
ask for what there is not, for what is elsewhere, or for what would take too long to find.
"""

from __future__ import annotations

from conformance.arguments.making import (
    ArgumentKind,
    NoArgumentsError,
    allows,
    arguments_for,
    invalid_arguments,
    neutral_value_for,
    value_for,
)

__all__ = [
    "ArgumentKind",
    "NoArgumentsError",
    "allows",
    "arguments_for",
    "invalid_arguments",
    "neutral_value_for",
    "value_for",
]
