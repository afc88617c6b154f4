"""Mutation of real source: small faults in real code, and whether the scenarios find them."""
