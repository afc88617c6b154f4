"""Ollama's native API, ``/api/chat``. Its OpenAI-compatible surface, ``/v1``, is the chat wire's business."""
