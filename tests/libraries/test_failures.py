"""What shims read out of the exceptions of the providers' SDKs."""

from __future__ import annotations

from typing import Any

from conformance.adapters.libraries.failures import sdk_failure


class APIError(Exception):
    """As Google's SDK raises it: the whole body stands in ``details``."""

    def __init__(self, code: int, details: Any) -> None:
        super().__init__(str(details))
        self.code, self.details = code, details


def test_how_long_to_wait_may_stand_in_the_body_alone() -> None:
    """Google says it in the ``RetryInfo`` of the body; other details may stand before it."""
    details = [{"@type": "QuotaFailure", "violations": []}, {"@type": "RetryInfo", "retryDelay": "39s"}]
    error = {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED", "details": details}
    failure = sdk_failure(APIError(429, {"error": error}))
    assert failure is not None
    assert (failure.retry_after, failure.status, failure.message) == (39.0, 429, "Quota exceeded.")


def test_a_body_without_a_time_to_wait_has_none() -> None:
    """Nothing is made up."""
    failure = sdk_failure(APIError(500, {"error": {"code": 500, "message": "Internal", "details": []}}))
    assert failure is not None
    assert failure.retry_after is None
