"""Recorded traffic: what an interaction is, how cassettes are written, scrubbed, read and played.

Nothing here knows how an exchange is judged; `conformance.traffic` does that for recordings of any maker.
"""
