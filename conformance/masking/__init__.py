"""Masking: what is secret, and how it is taken out of texts, documents, addresses and headers.

    environment ─▶ known values ─┐
    requests ────▶ learned values ┼─▶ spans in a text ─▶ Mask (door.py): what is written or shown
    forms, names, credentials ───┘

Everything that leaves the tool goes through a `conformance.masking.door.Mask`. Recordings, whose bytes must stay,
splice the same spans (`conformance.recordings.scrub`). Nothing here imports more than the standard library.
"""
