"""Confidence intervals of proportions.

Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927); R. G.
Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998),
method 10.
"""

from __future__ import annotations

from math import sqrt

Z = 1.959963984540054
"""The quantile of the normal distribution for 95 %."""

Interval = tuple[float, float]


def wilson(kept: int, of: int, z: float = Z) -> Interval:
    """The interval in which a rate lies, given how often something was so: all of 0 to 1 where nothing was tried."""
    if of == 0:
        return 0.0, 1.0
    rate = kept / of
    middle = (rate + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * sqrt(rate * (1 - rate) / of + z * z / (4 * of * of))
    low, high = (0.0 if kept == 0 else middle - half), (1.0 if kept == of else middle + half)
    return max(0.0, low), min(1.0, high)


def rate_difference(kept: int, of: int, other_kept: int, other_of: int) -> Interval:
    """The interval in which the difference of two rates lies, the first less the other."""
    if not of or not other_of:
        return -1.0, 1.0
    rate, other = kept / of, other_kept / other_of
    (low, high), (other_low, other_high) = wilson(kept, of), wilson(other_kept, other_of)
    down = sqrt((rate - low) ** 2 + (other_high - other) ** 2)
    up = sqrt((high - rate) ** 2 + (other - other_low) ** 2)
    return rate - other - down, rate - other + up
