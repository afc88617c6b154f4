"""Adapters in any language: a child process that speaks JSON-RPC 2.0, one message a line, over its standard streams.

The protocol is told in ``docs/stdio.md``, and its messages in ``schemas/stdio.schema.json``. The harness's end is
`conformance.adapters.stdio.faces`; the other end, for adapters in Python, is `conformance.adapters.stdio.serve`.
"""
