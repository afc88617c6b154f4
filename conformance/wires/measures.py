"""What a host may limit that no JSON Schema of a request can say, because it is counted in several places of it."""

from __future__ import annotations

from collections.abc import Mapping

MEASURES: Mapping[str, str] = {
    "strict_levels": "levels of one strict schema: each step into a property or an element of a list is one",
    "strict_properties": "properties of one strict schema, at all depths",
    "strict_enum_values": "values of all enums of one strict schema",
    "strict_letters": "characters of all names of properties and definitions, and of all texts in enums and const, of "
    "one strict schema",
    "strict_long_enum_letters": "characters of all texts of one enum of more than 250 texts, in a strict schema",
    "object_levels": "levels of one tool's schema: each step into a property is one",
    "images": "pictures in the results of one request",
    "image_letters": "characters of one picture in a result, in base64",
}
"""What may stand under ``most`` in a host's file, in words. ``rules/shared/measures.py`` counts it."""
