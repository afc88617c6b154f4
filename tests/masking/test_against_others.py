"""What a pattern set that others keep finds, we remove: the patterns of detect-secrets, with texts made from them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance.masking.door import masked_text

OTHERWISE = {
    "Public IP (ipv4)": "an address is no key",
    "Private Key": "its first line alone; what comes after it is removed",
    "JSON Web Token": "any two words with a dot between them",
    "Artifactory Credentials": "any word of ten letters that begins with AP",
    "Twilio API Key": "accounts too; keys are hexadecimal",
    "Slack Token": "its digits may be few",
    "NPM tokens": "of any length",
    "Telegram Bot Token": "after the colon they begin with A",
    "Cloudant Credentials": "by name",
    "IBM Cloud IAM Key": "by name",
    "IBM COS HMAC Credentials": "by name",
    "SoftLayer Credentials": "by name",
}
"""Why what is found by these is not all removed."""


def _patterns() -> Iterator[object]:
    for kind, plugin in get_mapping_from_secret_type_to_class().items():
        if issubclass(plugin, RegexBasedDetector) and kind not in OTHERWISE:
            for place, pattern in enumerate(plugin().denylist):
                if kind != "AWS Access Key" or place == 0:  # the others are by name
                    yield pytest.param(pattern, id=f"{kind} {place}")


@pytest.mark.parametrize("pattern", _patterns())
def test_what_others_find(pattern: re.Pattern[str]) -> None:
    @settings(max_examples=25, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(st.from_regex(pattern, fullmatch=True, alphabet=st.characters(codec="ascii", min_codepoint=33)))
    def removed(text: str) -> None:
        if len(set(text)) >= 16 and not set(text) & set("\\<>\"'`{}"):  # not one letter again and again
            assert masked_text(f"the key {text} was refused") != f"the key {text} was refused"

    removed()
