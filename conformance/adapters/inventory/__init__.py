"""What a library offers that is about tools, read from the installed release: its *doors*.

Runs where the library is, so it needs the standard library alone (it is a part of the bundle). `reading` resolves
annotations, `forms` says what values a type allows, `relevance` what leads to tools, `walk` finds methods from the
classes that users meet, `matching` holds a value against a form, and `watching` notes what a shim really calls.
"""

from __future__ import annotations

VARIABLE = "CONFORMANCE_DOORS"
"""Names the folder for what is seen (`watching`). Nothing is watched without it."""
