"""Names under which secrets stand: of members, variables, parameters and headers."""

from __future__ import annotations

import re
from functools import lru_cache

_SECRET_NAME = re.compile(
    r"(?:api|access|secret|private|subscription|master|admin|account|search|storage|shared|azure|aws|secretaccess"
    r"|signing|encryption|service|service(?:role|account)|virtual)key(?:id)?$"
    r"|(?:access|refresh|id|session|security|auth|bearer|authorization|oauth|api|secret|identity|personalaccess)token$"
    r"|(?:client|api|app|consumer|webhook|shared)?secret(?:key)?$"
    r"|password$|passwd$|passphrase$|(?:^|proxy)authorization$|credentials?$|connectionstring$|^(?:set)?cookies?$"
    r"|^(?:private|bot|deploy)token$|^secretstr$"
    r"|^jwt$|^bearer$|^sessionid$|^csrf(?:token)?$|^xsrf(?:token)?$|(?:sas|saml)token$|apikeys$"
)
_SECRET_ENDING = re.compile(r"(?:[a-z0-9][_-](?:pass|pwd?)|[A-Z0-9]_(?:PASS|PWD?)|[a-z](?:Pass|Pwd?))[0-9]?$")
_LOOSE_NAMES = frozenset({"token", "auth", "pass", "pwd"})
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
    return bool(_SECRET_NAME.search(plain_name(name).rstrip("0123456789")) or _SECRET_ENDING.search(name))


@lru_cache(maxsize=10_000)
def is_loose_name(name: str) -> bool:
    """Whether what stands under this name is secret if it cannot be anything else: ``token``, ``auth``, ``--key``."""
    plain = plain_name(name)
    return plain in _LOOSE_NAMES or (name.startswith("-") and plain.endswith(("token", "key", "pwd", "pass")))


@lru_cache(maxsize=10_000)
def is_identity_name(name: str) -> bool:
    """Whether what stands under this name tells who is calling, unless it is data of a tool: ``user``, ``org_id``."""
    return _IDENTITY_NAME.search(plain_name(name)) is not None


@lru_cache(maxsize=10_000)
def is_secret_holder(name: str) -> bool:
    """Whether all texts in the object under this name are secret, as those of ``headers`` of an MCP server are."""
    return _SECRET_HOLDER.search(plain_name(name)) is not None


_PARAMETER = re.compile(
    r"(?i)key|api[-_]?key|subscription-key|access[-_]?key|token|access_token|refresh_token|id_token|client_secret|secret"
    r"|password|pass|pwd|auth|sig|signature|code|client_assertion|assertion|jwt|ticket|hmac"
    r"|x-amz-(?:signature|security-token|credential)|x-goog-(?:signature|credential)"
    r"|private[-_]token|bot[-_]token|job[-_]token|user[-_]token|app[-_]?key|appid|hapikey|jsessionid|phpsessid"
    r"|session(?:_?id)?|organi[sz]ation|org_id|project_id|account_id|user_id"
)


@lru_cache(maxsize=10_000)
def is_secret_parameter(name: str) -> bool:
    """Whether what stands under this name in a query is secret, or tells an account."""
    return _PARAMETER.fullmatch(name) is not None or is_secret_name(name)


_SECRET_HEADER = re.compile(
    r"(?i)key|token|secret|auth(?!or(?!i[sz]))|cookie|session|passw|credential|signature|organi[sz]ation|project|account"
    r"|tenant|csrf|xsrf|(?:^|-)user(?:-?id|-?email)?$|cf-access"
)
_HARMLESS_HEADER = re.compile(r"(?i)ratelimit|rate-limit|www-authenticate|proxy-authenticate|max-age|affinity|-ms$")


@lru_cache(maxsize=10_000)
def is_secret_header(name: str) -> bool:
    """Whether a header's value is secret, or tells an account."""
    return bool(_SECRET_HEADER.search(name)) and not _HARMLESS_HEADER.search(name)
