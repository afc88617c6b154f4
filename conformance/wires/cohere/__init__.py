"""Cohere's chat, ``/v2/chat``. What the model says beside calls is a plan, and never content."""
