"""What a secret looks like: the forms of keys, the names under which they stand, and the values that are known.

One table serves three readers: the scrubber removes what it finds, the scan refuses to let it be written, and findings
are shown without it.

Recordings are full of base64 (signatures, encrypted reasoning, images), in which any short form turns up by chance. So
no form begins or ends inside a word, and each says how long it may be.
"""

from __future__ import annotations

import base64
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

PLACEHOLDER = "SCRUBBED"
"""What stands where a secret was. It needs no escaping in JSON, in a URL or in a header."""


@dataclass(frozen=True, slots=True)
class SecretForm:
    """A form of secrets. The secret is the group ``secret``; without one of the ``hints`` a text cannot hold it."""

    name: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...]

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where in ``text`` secrets of this form are."""
        if any(hint in text for hint in self.hints):
            for found in self.pattern.finditer(text):
                if not is_placeholder(found["secret"]):
                    yield found.span("secret")


def _key(name: str, pattern: str, *hints: str) -> SecretForm:
    return SecretForm(name, re.compile(rf"(?<![A-Za-z0-9+_-])(?P<secret>{pattern})(?![A-Za-z0-9_-])"), hints)


_PARAMETERS = (
    r"key|api[-_]?key|subscription-key|access[-_]?key|token|access_token|refresh_token|id_token|client_secret|secret"
    r"|password|auth|sig|signature|x-amz-(?:signature|security-token|credential)|x-goog-(?:signature|credential)"
    r"|session(?:_?id)?|organi[sz]ation|org_id|project_id|account_id|user_id"
)
"""Names in a query whose values are secret or tell an account."""

_RUN = r"(?=[A-Za-z_-]*[0-9])(?=(?:ant|proj|svcacct|admin|or)-|[A-Za-z0-9_-]*[A-Za-z0-9]{16})"
"""A digit, and a run that no word is long enough for: else names such as ``sk-linear-model-with-long-name`` fit."""

FORMS: tuple[SecretForm, ...] = (
    _key("API key", rf"(?:sk|rk|pk)-{_RUN}[A-Za-z0-9_-]{{20,220}}", "sk-", "rk-", "pk-"),
    _key("API key", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}", "_live_", "_test_"),
    _key("Google API key", r"AIza[A-Za-z0-9_-]{35}(?![+/=])", "AIza"),
    _key("Google API key", r"AQ\.[A-Za-z0-9_-]{30,200}", "AQ."),
    _key("Google access token", r"ya29\.[A-Za-z0-9_.-]{20,2000}", "ya29."),
    _key("provider key", r"(?:gsk_|hf_|r8_|fw_|csk-|pplx-|xai-|key-|sess-)[A-Za-z0-9]{24,220}",
         "gsk_", "hf_", "r8_", "fw_", "csk-", "pplx-", "xai-", "key-", "sess-"),
    _key("provider key", r"(?:nvapi-|tgp_v1_)[A-Za-z0-9_-]{30,220}", "nvapi-", "tgp_v1_"),
    _key("GitHub token", r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})",
         "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    _key("AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![+/=])", "AKIA", "ASIA"),
    _key("Slack token", r"xox[abeprs]-[A-Za-z0-9-]{10,200}", "xox"),
    _key("JSON web token", r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{16,2000}", "eyJ"),
    _key("organisation id", r"org-[A-Za-z0-9]{20,40}", "org-"),
    _key("project id", r"proj_[A-Za-z0-9]{16,40}", "proj_"),
    _key("account id", r"user-[A-Za-z0-9]{24}", "user-"),
    SecretForm("bearer token",
         re.compile(r"\b(?:[Bb]earer|BEARER)\s{1,4}(?=[^\s\"]{0,200}[0-9])(?P<secret>[A-Za-z0-9._~+/=-]{12,8000})"),
         ("earer", "BEARER")),
    SecretForm("basic credentials",
         re.compile(r"\bBasic\s{1,4}(?=[^\s\"]{0,200}[0-9])(?P<secret>[A-Za-z0-9+/]{12,2000}={0,2})(?![A-Za-z0-9+/=])"),
         ("Basic",)),
    SecretForm("secret in an address",
         re.compile(rf"(?i)[?&](?:{_PARAMETERS})=(?P<secret>[^\s&\"'<>#\\]{{6,4000}})"), ("?", "&")),
    SecretForm("user and password in an address",
         re.compile(r"://(?P<secret>[^\s/:@\"'<>\\]{0,200}:[^\s/@\"'<>\\]{1,200})@"), ("://",)),
    SecretForm("private key", re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?P<secret>[^\"-]{16,20000})"),
         ("PRIVATE KEY",)),
)  # fmt: skip
"""All forms."""


def find_forms(text: str) -> Iterator[tuple[int, int, str]]:
    """Where in ``text`` secrets of a known form are: start, end and the form's name."""
    for form in FORMS:
        for start, end in form.find(text):
            yield start, end, form.name


def masked_text(text: str) -> str:
    """``text`` with its secrets shown as ``…``."""
    spans = sorted((start, end) for start, end, _ in find_forms(text))
    shown, done = [], 0
    for start, end in spans:
        if start >= done:
            shown += [text[done:start], "…"]
        done = max(done, end)
    return "".join([*shown, text[done:]])


# --- placeholders ----------------------------------------------------------------------------------------------------

_WORDS = re.compile(
    r"(?i)scrubbed|redacted|filtered|removed|masked|hidden|placeholder|dummy|sanitized|obfuscated|<[^>]*>|\*{3,}|x{4,}"
    r"|\.{3}|…|your[-_ ]|fake|mock|example|not[-_]a[-_]|\{\{"
    r"|(?-i:^\$?\{?[A-Z][A-Z0-9]*_[A-Z0-9_]+\}?$)"
)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret, or is too simple to be one: fewer than 24 bits in all."""
    return bool(_WORDS.search(value)) or _bits(value) < 24


def _bits(value: str) -> float:
    counts = Counter(value)
    size = len(value)
    return -sum(count * math.log2(count / size) for count in counts.values())


def is_distinctive(value: str) -> bool:
    """Whether a value is unlikely to occur by chance, so that it may be removed wherever it does."""
    if len(value) < 8 or is_placeholder(value):
        return False
    plain = value.islower() and value.replace("-", "").replace("_", "").isalpha()
    return len(value) >= 20 or not (plain or (value.isalpha() and value.istitle()))


# --- names -----------------------------------------------------------------------------------------------------------

_SECRET_NAME = re.compile(
    r"(?:api|access|secret|private|subscription|master|admin|account|search|storage|shared|azure|aws|secretaccess)key$"
    r"|(?:access|refresh|id|session|security|auth|bearer|authorization|oauth|api|secret)token$"
    r"|(?:client|api|app|consumer|webhook)?secret$"
    r"|password$|passwd$|passphrase$|(?:^|proxy)authorization$|credentials?$|connectionstring$|^(?:set)?cookies?$"
    r"|^jwt$|^bearer$|^sessionid$|^csrf(?:token)?$|^xsrf(?:token)?$"
)
_IDENTITY_NAME = re.compile(
    r"^(?:openai)?organi[sz]ation(?:id|name|uuid)?$|^org(?:id)?$|^(?:openai|cloudaicompanion)?project(?:id|number)?$"
    r"|^(?:billing)?accounts?(?:id|uuid)?$|^user(?:id|email|name)?$|^email(?:address)?$|^tenantid$|^subscriptionid$"
    r"|^workspaceid$|^customerid$|^safetyidentifier$|^enduserid$|^installationid$|^deviceid$"
)
_SECRET_HOLDER = re.compile(r"^(?:auth|authentication|credentials?|secrets|cookies|headers|authorization|env)$")


def plain_name(name: str) -> str:
    """A name as it is compared: ``X-Api-Key``, ``x_api_key`` and ``xApiKey`` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@lru_cache(maxsize=10_000)
def is_secret_name(name: str) -> bool:
    """Whether what stands under this name is secret wherever it stands: ``api_key``, ``password``, ``accessToken``."""
    return _SECRET_NAME.search(plain_name(name)) is not None


@lru_cache(maxsize=10_000)
def is_identity_name(name: str) -> bool:
    """Whether what stands under this name tells who is calling, unless it is data of a tool: ``user``, ``org_id``."""
    return _IDENTITY_NAME.search(plain_name(name)) is not None


@lru_cache(maxsize=10_000)
def is_secret_holder(name: str) -> bool:
    """Whether all texts in the object under this name are secret, as those of ``headers`` of an MCP server are."""
    return _SECRET_HOLDER.search(plain_name(name)) is not None


_PARAMETER = re.compile(rf"(?i)(?:{_PARAMETERS})")


@lru_cache(maxsize=10_000)
def is_secret_parameter(name: str) -> bool:
    """Whether what stands under this name in a query is secret, or tells an account."""
    return _PARAMETER.fullmatch(name) is not None or is_secret_name(name)


_SECRET_HEADER = re.compile(
    r"(?i)key|token|secret|auth|cookie|session|passw|credential|signature|organi[sz]ation|project|account|tenant|csrf"
    r"|xsrf|(?:^|-)user(?:-?id|-?email)?$|cf-access"
)
_HARMLESS_HEADER = re.compile(r"(?i)ratelimit|rate-limit|www-authenticate|proxy-authenticate|max-age|affinity|-ms$")


@lru_cache(maxsize=10_000)
def is_secret_header(name: str) -> bool:
    """Whether a header's value is secret, or tells an account."""
    return bool(_SECRET_HEADER.search(name)) and not _HARMLESS_HEADER.search(name)


# --- values ----------------------------------------------------------------------------------------------------------

KEY_VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OLLAMA_API_KEY", "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_AD_TOKEN", "XAI_API_KEY", "DEEPSEEK_API_KEY", "MISTRAL_API_KEY", "OPENROUTER_API_KEY",
)  # fmt: skip
"""Variables from which keys come."""

_KEY_VARIABLE = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")


def secrets_of_environment(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of the variables that hold keys, ours and any other that is named as one."""
    values = os.environ if environment is None else environment
    shortest = {name: 8 if name in KEY_VARIABLES else 16 for name in values if _is_key_variable(name)}
    return tuple(values[name] for name, size in shortest.items() if len(values[name]) >= size)


def _is_key_variable(name: str) -> bool:
    return name in KEY_VARIABLES or _KEY_VARIABLE.search(name) is not None


class KnownSecrets:
    """Secrets whose values are known, and the ways in which each may be written: as it is, in a URL, in base64."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._written: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        for value in values:
            self.add(value)

    def add(self, value: str) -> bool:
        """Take one more. Returns whether it is new; a placeholder never is."""
        value = value.strip()
        if not value or value in self._written or is_placeholder(value):
            return False
        self._written[value] = PLACEHOLDER
        for written in _rewritten(value):
            self._written.setdefault(written, PLACEHOLDER)
        for written in _in_base64(value):
            # As long as before, and still base64: what stands around it can be decoded as before.
            self._written.setdefault(written, "A" * len(written))
        self._pattern = None
        return True

    def __len__(self) -> int:
        return len(self._written)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where in ``text`` they are: start, end, and what to put there."""
        few = len(self._written) < _FEW
        if not self._written or (few and not any(written in text for written in self._written)):
            return
        if self._pattern is None:
            longest_first = sorted(self._written, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))
        for found in self._pattern.finditer(text):
            yield *found.span(), self._written[found.group()]


_FEW = 200
"""Up to so many are looked for one by one, which is quicker than a pattern of all of them: mostly none is there."""


def _rewritten(value: str) -> Iterator[str]:
    for safe in ("", "/", "/:@"):
        yield quote(value, safe=safe)
    yield quote(value, safe="").lower() if "%" in quote(value, safe="") else value
    escaped = value.encode("unicode_escape").decode()
    yield escaped.replace('"', '\\"')


def _in_base64(value: str) -> Iterator[str]:
    """The letters that do not depend on what stands before and after it, for each of the three ways to begin."""
    data = value.encode("utf-8", "surrogatepass")
    if len(data) < 12:
        return
    for before in range(3):
        letters = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        first = -(-before * 8 // 6)
        last = (before + len(data)) * 8 // 6
        yield letters[first:last]
        yield letters[first:last].replace("+", "-").replace("/", "_")
