"""Mutants of whole programs: a proxy between a subject and whom it asks changes one thing in what it sends.

    agent ──▶ proxy (`conformance.server.between`) ──▶ the served provider, which must tell it

A mutant (`conformance.mutants.between.requests`) is a small function on a draft (`conformance.mutants.between.draft`):
neutral facts say where calls, results and texts stand, so one function serves every format.
"""
