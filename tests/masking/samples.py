"""Texts with a secret in them, by what it is: the text, and the secret. Values are made up, always the same."""

from __future__ import annotations

import string

from leaks import LETTERS, value

HEX, UPPER, ANY = "0123456789abcdef", string.ascii_uppercase + string.digits, LETTERS + "_-"
B64 = LETTERS + "+/"


def uuid(name: str) -> str:
    """A UUID."""
    return "-".join(value(f"{name}{size}", size, HEX) for size in (8, 4, 4, 4, 12))


def key(name: str, prefix: str, size: int, letters: str = LETTERS, text: str = "key {} was refused") -> tuple[str, str]:
    """A key in a text; of it the part after its prefix."""
    secret = value(name, size, letters)
    return text.format(prefix + secret), secret


def pem(kind: str, name: str, head: str = "", end: bool = True) -> tuple[str, str]:
    """A private key."""
    secret = value(name, 300, B64)
    return f"-----BEGIN {kind}-----\n{head}{secret}\n" + (f"-----END {kind}-----" if end else ""), secret


def made(pattern: str, name: str, size: int, letters: str = LETTERS) -> tuple[str, str]:
    """A text in which the secret stands where the pattern says."""
    secret = value(name, size, letters)
    return pattern.replace("SECRET", secret), secret


SECRETS: dict[str, tuple[str, str]] = {
    "GitLab": key("a", "glpat-", 20),
    "GitLab, for a runner": key("b", "glrt-", 20),
    "npm": key("c", "npm_", 36),
    "PyPI": key("d", "pypi-AgEIcHlwaS5vcmc", 120, ANY),
    "SendGrid": made(f"bad SG.{value('e', 22)}.SECRET!", "f", 43),
    "DigitalOcean": key("g", "dop_v1_", 64, HEX),
    "Google's client": key("h", "GOCSPX-", 28),
    "Stripe's webhook": key("i", "whsec_", 32),
    "Vault": key("j", "hvs.", 95, ANY),
    "Langfuse": (f"LF sk-lf-{uuid('k')} x", uuid("k")),
    "LangSmith": key("l", "lsv2_pt_", 32, HEX, "{}_0123456789"),
    "Databricks": key("m", "dapi", 32, HEX),
    "Supabase": key("n", "sbp_", 40, HEX),
    "Pinecone": key("o", "pcsk_", 70, LETTERS + "_"),
    "Atlassian": key("p", "ATATT3xFfGF0", 160, ANY),
    "Bedrock": key("q", "ABSK", 132, B64),
    "OpenRouter": key("r", "sk-or-v1-", 64, HEX),
    "HubSpot": (f"pat-na1-{uuid('s')}", uuid("s")),
    "Mailchimp": made("k SECRET-us12 k", "t", 32, HEX),
    "Telegram": made("bot123456789:AASECRET/x", "u", 33),
    "Slack's webhook": made("https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/SECRET", "v", 24),
    "Azure storage": made("DefaultEndpointsProtocol=https;AccountKey=SECRET==;EndpointSuffix=core", "w", 86),
    "Azure's client": made("bad abc8Q~SECRET.", "x", 34, ANY),
    "a web token with five parts": made(f"eyJhbGciOiJSU0EifQ.SECRET.aaaa.{value('y', 40)}.{value('z', 22)}", "A", 60),
    "AWS, with its scope": made("Credential=AKIASECRET/20260101/us-east-1/bedrock/aws4_request", "B", 16, UPPER),
    "Google, in a path": key("C", "AIza", 35, ANY, "/v1/{}/models"),
    "cut off": key("D", "sk-proj-", 14, LETTERS, "provided: {}... see"),
    "after an option's dashes": key("E", "sk-proj-", 40, LETTERS, "unknown option --{}"),
    "behind an escape": key("F", "sk-proj-", 40, LETTERS, r"a\n{}\n"),
    "in a URL's escapes": key("G", "xai-", 60, LETTERS, "https://a/?u=b%3D{}%26"),
    "a private key": pem("PRIVATE KEY", "H"),
    "encrypted": pem("ENCRYPTED PRIVATE KEY", "I"),
    "encrypted, the old way": pem("RSA PRIVATE KEY", "J", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB01\n\n"),
    "a private key, cut off": pem("OPENSSH PRIVATE KEY", "K", end=False),
    "PGP": pem("PGP PRIVATE KEY BLOCK", "L", "\n", end=False),
    "a parameter": made("GET https://a/v1?alt=sse&x-goog-api-key=SECRET&b=1", "M", 30),
    "a client's parameter": made("https://a/t?a=1&client_secret=SECRET", "N", 30),
    "Token": made('authorization: Token token="SECRET"', "O", 30),
    "Token, in a text": made('sent Token token="SECRET", and', "P", 30),
    "Bearer and a tab": made("authorization: Bearer\tSECRET", "Q", 30),
    "Bearer, twice": made("Authorization: Bearer aaaa1111bbbb2222, Bearer SECRET", "R", 30),
    "Basic, in small letters, and tabs": made("authorization:\tbasic\tdXNlcjpaSECRET", "A2", 30),
    "Basic, in a log": made("sent basic dXNlcjpaSECRET== twice", "B2", 30),
    "a socket's subprotocol": made("Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.SECRET", "C2", 40),
    "a parameter whose name is escaped": made("https://a/v1?api%5Fkey=SECRET", "D2", 30),
    "a header's name in a URL's escapes": made("see x%2Dapi%2Dkey: SECRET", "E2", 30),
    "a member whose name is escaped": made(r'{"api\u005fkey": "SECRET"}', "F2", 30),
    "a header that goes on in the next line": made("x-api-key:\r\n  SECRET", "G2", 30),
    "told, in print": made("invalid API key “SECRET” was sent", "H2", 30),
    "told, in bold": made("API key: **SECRET**", "I2", 30),
    "told by the header's name": made("invalid x-api-key SECRET", "J2", 30),
    "Digest": made('Digest username="u", realm="r", uri="/x", response="SECRET"', "S", 32, HEX),
    "AWS's signature": made("AWS4-HMAC-SHA256 Credential=x/20260101, Signature=SECRET", "T", 64, HEX),
    "OAuth": made('OAuth oauth_consumer_key="a", oauth_signature="SECRET"', "U", 28),
    "a list": made("x-api-key: first-9key9-value1, SECRET", "V", 30),
    "JSON in a text": made('failed with {"api_key": "SECRET"}', "W", 24),
    "JSON behind escapes": made(r"{\"client_secret\": \"SECRET\"}", "X", 24),
    "Python": made("Client(api_key='SECRET', timeout=3)", "Y", 24),
    "Python's environment": made("os.environ['ACME_API_KEY'] = 'SECRET'", "Z", 24),
    "a pair": made("[(b'x-api-key', b'SECRET')]", "aa", 24),
    "a shell": made("export ACME_API_KEY=SECRET", "bb", 24),
    "curl": made("curl -H 'x-api-key: SECRET' http://a", "cc", 24),
    "YAML": made("password: SECRET", "dd", 24),
    "a cookie": made("Set-Cookie: session=SECRET; Path=/", "ee", 24),
    "Vault, as it was": key("ff", "s.", 24),
    "HAR": made('{"name":"x-api-key","value":"SECRET"}', "gg", 30),
    "HAR, authorization": made('{"name": "Authorization", "value": "Bearer SECRET"}', "hh", 30),
    "XML": made("<apiKey>SECRET</apiKey>", "ii", 30),
    "SOAP": made('<wsse:Password Type="x">SECRET</wsse:Password>', "jj", 24),
    "an attribute": made('<add key="ApiKey" value="SECRET" />', "kk", 30),
    "YAML, a list": made("- name: OPENAI_API_KEY\n  value: SECRET", "ll", 30),
    "YAML, a block": made("api_key: >-\n  SECRET\n", "mm", 30),
    "TOML": made('[auth]\ntoken = "SECRET"', "nn", 30),
    "a form": made('Content-Disposition: form-data; name="api_key"\r\n\r\nSECRET\r\n', "oo", 30),
    "Go": made("map[X-Api-Key:[SECRET]]", "pp", 30),
    "a call": made('builder.setApiKey("SECRET")', "qq", 30),
    "a wrapped value": made("api_key=SecretStr('SECRET')", "rr", 30),
    "an option": made("conformance --api-key SECRET", "ss", 30),
    "an option in a list": made("['run', '--token', 'SECRET']", "tt", 30),
    "curl, a user": made("curl -u somebody:SECRET https://a", "uu", 20),
    "netrc": made("machine api.example login joe password SECRET", "vv", 20),
    "npm's file": made("//registry.example/:_auth=SECRET", "ww", 40),
    "Docker's file": made('{"auths": {"r.example": {"auth": "SECRET"}}}', "xx", 40),
    "a password in a shell": made("export DB_PWD=SECRET", "yy", 16),
    "a variable": made("FAL_KEY=abc:SECRET", "zz", 32, HEX),
    "HTML": made("api_key=&quot;SECRET&quot;", "ab", 30),
    "an address in an address": made("https%3A%2F%2Fa%3Fapi_key%3DSECRET%26b%3D1", "ac", 30),
    "JSON in an address": made("%7B%22api_key%22%3A%22SECRET%22%7D", "ad", 30),
    "JSON behind many escapes": made(r"{\\\"api_key\\\": \\\"SECRET\\\"}", "ae", 30),
    "JSON in Unicode's escapes": made(r"\u0022api_key\u0022:\u0022SECRET\u0022", "af", 30),
    "a token as the user": made("https://SECRET@github.com/a/b", "ag", 40, HEX),
    "what OpenAI says": made("Incorrect API key provided: SECRET. You can find your API key at", "ah", 40),
    "what others say": made("invalid api key 'SECRET'", "ai", 40),
    "a session in an address": made("https://a/b;jsessionid=SECRET?x=1", "aj", 32, UPPER),
    "no digit": made("Authorization: Bearer SECRET", "ak", 30, string.ascii_letters),
}
"""By form, and by what stands before it."""

HARMLESS = (
    "Bearer authentication is used", "a basic understanding2 of things", "sk-learn-linear-model-with-a-long-name",
    "Authorization: Bearer YOUR_API_KEY", "Authorization: Bearer $OPENAI_API_KEY", "sk-...", "org-chart",
    "the password is on the desk", "password: required", "api_key: string (optional)", "key-value-pairs-1",
    "call_abcdefghijklmnopqrstuvwx", "msg_01FuxB6Gq5QdsdPdafGVavMe", "toolu_01A09q90qw90lq917835lq9",
    "chatcmpl-e8bd0279-192b-0d7d-d28c-734d0b0b13c9", "fc_68af4030592c81938ec0a5fbab4a3e9f", "resp_68af4030592c81938ec0",
    "rs_68af4030592c81938ec0a5fbab4a3e9f", "https://ai.example/docs/thought-signatures", "2026-01-02T03:04:05Z",
    '"thoughtSignature": "CpEBAXLI2nx0q9FgHq2mT1uVwXyZ0123456789"',
    '"signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk"',
    '"encrypted_content": "gAAAAABo1234567890abcdefghijklmnop"', '{"token": "Hello12345678901", "logprob": -0.1}',
    "max_tokens: 100000", "x-ratelimit-remaining-tokens: 12345678", '"prompt_cache_key": "conversation-12345"',
    "Co-authored-by: somebody1 <a@b.example>",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '{"required": ["x-api-key", "password"], "name": "password", "value1": "string"}', "PWD=/home/user1/project",
    "next_page_token=abcdefghij1234567890ab", "the API key for gpt-4-0125-preview-turbo-16k", "--key value",
    "python -u script.py:main1", "https://user1@host.example/path", "git@github.com:a/b1",
    "password: AuthenticationTokenProvider", "getToken('abc1')", "<token>Hello</token>", "--max-tokens 128000",
    "a token of 1234567890 characters",
    '{"required": ["password", "x-api-key"], "type": "object"}', "conformance run --provider azure --seed 12345678",
)  # fmt: skip
"""What looks a little like it, and is none."""
