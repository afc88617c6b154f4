"""Where a rule can be read by whoever meets it in a report: its page on a site, if one is named."""

from __future__ import annotations

import os

SITE = "CONFORMANCE_SITE"
"""The variable that holds the address of a site that ``tools/build_site.py`` made, without a slash at its end."""


def rule_address(rule: str) -> str:
    """The address of the rule's page; ``""`` where no site is named."""
    site = os.environ.get(SITE, "").rstrip("/")
    return f"{site}/rules/{rule}.html" if site.startswith(("https://", "http://")) else ""
