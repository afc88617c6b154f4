"""What a shim does with its library, kept so that it can be printed as a program that needs only the library.

A shim calls its library inside of *doors* only: small functions that hold nothing but the library's own calls. While a
case is captured, each door keeps its arguments. A program is then the source of the doors that the case went through,
and calls of them with the same arguments (`conformance.report.script`): what a run executes is what a program prints.

`doors` keeps the calls, `values` writes arguments as expressions, `source` finds what the doors' source needs.
"""

from __future__ import annotations

from conformance.adapters.capture.doors import door, left_out

__all__ = ["door", "left_out"]
