"""Scenarios that nobody wrote: features derived from the neutral model, from public tables and from recorded forms.

    neutral model, tables ──▶ factors (`factors`, `texts`) ──▶ rows (`rows`, `arrays`) ──▶ scenarios (`building`)
What providers send is derived, too: see ``conformance.derivation``.

A *factor* is one part of a scenario that can be in several ways, its *levels*. A *row* says one level for each factor.
A *covering array* of strength two is a set of rows in which any two levels of two factors stand together in some row.
"""
