"""The gateway's own API, "unified": content blocks, explicit call ids, and decisions about calls.

``docs/unified.md`` is its specification. `client` and `provider` are its two halves; `correlate` matches results
without ids by their order. What older gateways do otherwise are the ``quirks`` of its card: calls without ids
(``missing_ids``), ``args`` as JSON text (``arguments_object``), ``content`` of an answer as a plain string
(``content_empty``; an answer with a refusal or with reasoning needs blocks and keeps them).
"""
