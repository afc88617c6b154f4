"""Gemini generateContent: the REST API at generativelanguage.googleapis.com, v1beta. Vertex AI answers alike."""
