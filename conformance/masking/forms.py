"""What keys look like: a table of how they begin and go on.

Recordings are full of base64 (signatures, encrypted reasoning, images), in which any short form turns up by chance. So
no key begins or ends inside a word, each row says how long it may be, and what stands inside a long run of base64 is
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from conformance.masking.searching import flat, places
from conformance.masking.words import is_stand_in

_LETTERS, _ANY, _HEX = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]"
_UUID = rf"{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}"
_DIGIT = r"(?=[A-Za-z_-]*[0-9])"
_RUN = rf"{_DIGIT}(?=(?:ant|proj|svcacct|admin|or|lf)-|[A-Za-z0-9_-]*[A-Za-z0-9]{{16}})"
"""A digit, and a run that no word is long enough for: else names such as ``sk-linear-model-with-long-name`` fit."""

KEYS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("API key", rf"{_RUN}{_ANY}{{20,220}}", ("sk-", "rk-", "pk-")),
    ("API key", rf"{_LETTERS}{{10,120}}",
     ("sk_live_", "rk_live_", "pk_live_", "sk_test_", "rk_test_", "pk_test_", "sk_prod_", "rk_prod_")),
    ("API key", rf"{_DIGIT}{_LETTERS}{{40,120}}", ("sk_",)),
    ("Google API key", rf"{_ANY}{{35}}", ("AIza",)),
    ("Google API key", rf"{_ANY}{{30,200}}", ("AQ.",)),
    ("Google access token", r"[A-Za-z0-9_.-]{20,2000}", ("ya29.",)),
    ("Google client secret", rf"{_ANY}{{20,60}}", ("GOCSPX-",)),
    ("Google refresh token", rf"0{_ANY}{{30,200}}", ("1//",)),
    ("provider key", rf"{_LETTERS}{{24,220}}",
     ("gsk_", "hf_", "r8_", "fw_", "csk-", "pplx-", "xai-", "key-", "sess-", "jina_", "vck_", "esecret_")),
    ("provider key", rf"{_DIGIT}{_ANY}{{24,220}}",
     ("nvapi-", "tgp_v1_", "tvly-", "pcsk_", "lsv2_pt_", "lsv2_sk_", "wandb_v1_", "phc_", "phx_",
      "cfut_", "cfat_", "zpka_")),
    ("provider key", rf"{_DIGIT}{_HEX}{{32}}", ("fc-", "helicone-", "ls__")),
    ("provider key", rf"{_DIGIT}{_LETTERS}{{22}}", ("ak-", "as-")),
    ("provider key", rf"{_DIGIT}{_ANY}{{43}}", ("pa-",)),
    ("AWS access key", r"[A-Z0-9]{16}", ("AKIA", "ASIA", "ABIA", "ACCA")),
    ("AWS access key", r"[A-Z0-9]{17}", ("A3T",)),
    ("AWS Bedrock key", r"[A-Za-z0-9+/]{100,400}={0,2}", ("ABSK",)),
    ("AWS Bedrock key", r"[A-Za-z0-9+/=_-]{40,4000}", ("bedrock-api-key-",)),
    ("Alibaba key", rf"{_LETTERS}{{16,24}}", ("LTAI",)),
    ("GitHub token", r"[A-Za-z0-9_]{36,255}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    ("GitHub token", rf"{_ANY}{{22,255}}", ("github_pat_",)),
    ("GitLab token", r"[A-Za-z0-9_.=-]{18,300}",
     ("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-",
      "glffct-", "glwt-", "GR1348941")),
    ("npm token", rf"{_LETTERS}{{36,60}}", ("npm_",)),
    ("PyPI token", rf"{_ANY}{{50,1000}}", ("pypi-AgE",)),
    ("package registry token", rf"{_LETTERS}{{32,80}}", ("rubygems_", "CLOJARS_")),
    ("Docker token", rf"{_ANY}{{24,60}}", ("dckr_pat_", "dckr_oat_")),
    ("SendGrid key", rf"{_ANY}{{16,32}}\.{_ANY}{{32,64}}", ("SG.",)),
    ("DigitalOcean token", rf"{_HEX}{{64}}", ("dop_v1_", "doo_v1_", "dor_v1_")),
    ("webhook secret", r"[A-Za-z0-9+/_-]{24,120}={0,2}", ("whsec_",)),
    ("Vault token", rf"{_ANY}{{20,400}}", ("hvs.", "hvb.", "hvr.")),
    ("Vault token", rf"{_DIGIT}{_LETTERS}{{24}}", ("s.",)),
    ("Terraform token", r"[A-Za-z0-9_=-]{60,80}", ("atlasv1.",)),
    ("Databricks token", rf"{_HEX}{{32}}(?:-[0-9])?", ("dapi",)),
    ("Langfuse key", _UUID, ("sk-lf-", "pk-lf-")),
    ("Linear key", rf"{_LETTERS}{{32,64}}", ("lin_api_", "lin_oauth_")),
    ("Notion token", rf"{_LETTERS}{{40,60}}", ("ntn_", "secret_")),
    ("Figma token", rf"{_ANY}{{36,80}}", ("figd_", "figo_")),
    ("Shopify token", r"[a-fA-F0-9]{32}", ("shpat_", "shpca_", "shppa_", "shpss_")),
    ("Grafana token", rf"{_ANY}{{30,400}}={{0,2}}", ("glsa_", "glc_")),
    ("Sentry token", r"[A-Za-z0-9+/=_-]{60,400}", ("sntryu_", "sntrys_")),
    ("Supabase key", rf"{_ANY}{{30,60}}", ("sbp_", "sb_secret_")),
    ("PlanetScale key", r"[A-Za-z0-9_.=-]{30,70}", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_")),
    ("Atlassian token", r"[A-Za-z0-9_=-]{60,400}", ("ATATT3", "ATCTT3", "ATSTT3")),
    ("Heroku key", rf"{_ANY}{{50,70}}", ("HRKU-",)),
    ("Fly token", r"[A-Za-z0-9+/=_,-]{40,4000}", ("fm1_", "fm2_", "fo1_", "fm1r_", "fm1a_")),
    ("HubSpot token", _UUID, ("pat-na1-", "pat-na2-", "pat-eu1-")),
    ("Postman key", rf"{_HEX}{{24}}-{_HEX}{{34}}", ("PMAK-",)),
    ("New Relic key", r"[A-Z0-9]{27}|[A-Za-z0-9_-]{27,42}", ("NRAK-", "NRII-", "NRAA-", "NRJS-", "NRRA-")),
    ("Pulumi token", rf"{_HEX}{{40}}", ("pul-",)),
    ("Doppler token", r"[A-Za-z0-9.]{40,66}", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.")),
    ("Dynatrace token", r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", ("dt0c01.", "dt0s01.", "dt0s02.")),
    ("Square token", rf"{_ANY}{{22,60}}", ("sq0atp-", "sq0csp-", "sq0idp-")),
    ("Airtable token", rf"{_LETTERS}{{14}}\.{_HEX}{{64}}", ("pat",)),
    ("CI token", rf"{_ANY}{{30,120}}", ("CCIPAT_", "CCIPRJ_", "bkua_", "sgp_", "sgd_", "rdme_", "tfp_", "pnu_")),
    ("Contentful token", rf"{_ANY}{{30,60}}", ("CFPAT-",)),
    ("OpenShift token", rf"{_ANY}{{43}}", ("sha256~",)),
    ("1Password token", r"eyJ[A-Za-z0-9+/]{100,1000}={0,2}", ("ops_",)),
    ("Slack token", r"[A-Za-z0-9-]{8,300}",
     ("xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xapp-", "xwfp-", "xoxe.xoxp-")),
    ("age key", r"[A-Z0-9]{50,70}", ("AGE-SECRET-KEY-1",)),
    ("Twilio key", r"[0-9A-Fa-f]{32}", ("SK",)),
    ("payment key", rf"{_ANY}{{16,80}}",
     ("FLWSECK_TEST-", "FLWSECK-", "EZAK", "EZTK", "rzp_live_", "access-production-")),
    ("payment key", rf"{_LETTERS}{{12}}(?:-X)?", ("FLWSECK_TEST-",)),
    ("payment key", rf"{_ANY}{{43}}", ("duffel_live_", "duffel_test_")),
    ("payment key", r"[0-9A-Fa-f]{40}", ("shippo_live_", "shippo_test_")),
    ("payment key", rf"{_ANY}{{22,60}}", ("EAAA",)),
    ("Facebook token", rf"{_LETTERS}{{80,400}}", ("EAAC", "EAAM", "EAAB", "EAAG")),
    ("1Password key", r"(?:[A-Z0-9]{5,6}-){4,6}[A-Z0-9]{5,6}", ("A3-",)),
    ("Adobe secret", rf"{_LETTERS}{{32}}", ("p8e-",)),
    ("Artifactory token", rf"{_LETTERS}{{58,76}}", ("AKCp", "cmVmd")),
    ("ClickHouse key", rf"{_DIGIT}{_LETTERS}{{38}}", ("4b1d",)),
    ("Cloudflare key", rf"{_HEX}{{24}}-{_HEX}{{146}}", ("v1.0-",)),
    ("Frame.io token", rf"{_ANY}{{64}}", ("fio-u-",)),
    ("Grafana key", rf"{_LETTERS}{{60,400}}={{0,2}}", ("eyJrIjoi",)),
    ("encoded web token", r"[A-Za-z0-9+/_-]{60,4000}={0,2}", ("ZXlKaGJHY2lPaU", "ZXlKMGVYQWlPaU")),
    ("Harness key", rf"{_ANY}{{22}}\.{_LETTERS}{{24}}\.{_LETTERS}{{20}}", ("pat.", "sat.")),
    ("provider key", rf"{_LETTERS}{{34}}", ("api_org_",)),
    ("Infracost token", rf"{_LETTERS}{{32}}", ("ico-",)),
    ("42 secret", rf"{_HEX}{{64}}", ("s-s4t2ud-", "s-s4t2af-")),
    ("Octopus key", r"[A-Z0-9]{26}", ("API-",)),
    ("Scalingo token", rf"{_DIGIT}{_ANY}{{48}}", ("tk-us-", "tk-eu-")),
    ("Brevo key", rf"{_HEX}{{64}}-{_LETTERS}{{16}}", ("xkeysib-", "xsmtpsib-")),
    ("SettleMint token", rf"{_LETTERS}{{16}}", ("sm_aat_", "sm_pat_", "sm_sat_")),
    ("session", rf"{_HEX}{{32}}", ("_gitlab_session=",)),
    ("organisation id", rf"{_LETTERS}{{20,40}}", ("org-",)),
    ("project id", rf"{_LETTERS}{{16,40}}", ("proj_",)),
    ("account id", rf"{_LETTERS}{{24}}", ("user-",)),
)  # fmt: skip
"""Keys of providers, and of those whose keys lie beside them: what it is, how it goes on, and how it may begin."""


@dataclass(frozen=True, slots=True)
class KeyForm:
    """How the keys of one beginning go on."""

    name: str
    prefix: str
    tail: str

    def end(self, text: str, start: int) -> int:
        """Where the key ends that begins at ``start``; -1 when there is none."""
        if not text.startswith(self.prefix, start) or not _begins(text, start):
            return -1
        found = _compiled(self.tail).match(text, start + len(self.prefix))
        if found is None or is_stand_in(text[start : found.end()]) or _is_in_base64(text, start, found.end()):
            return -1
        return found.end()


@cache
def _compiled(tail: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{tail})(?![A-Za-z0-9_-])")


ALL_KEYS = tuple(KeyForm(name, prefix, tail) for name, tail, prefixes in KEYS for prefix in prefixes)


# --- where a key may begin -------------------------------------------------------------------------------------------

_RUN_OF_KEY = re.compile(r"[0-9A-Za-z_-]{13,}")
"""Every key has such a run, in it or after its prefix: looking only there is ten times as quick as a search for each
prefix."""
_START = 3
_LEADING = frozenset("\\%./~")
"""What may belong to a key, or to an escape, before its run."""
_ESCAPE = re.compile(r"(?:\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})\Z")
"""What only looks as if a word went on."""


def _is_run(tail: str) -> bool:
    """Whether what comes after the prefix is one run, as far as a run must reach."""
    return re.search(r"\[[^\]]*[.+/=,][^\]]*\]", tail) is None


_BY_START: dict[str, list[KeyForm]] = {}
_DOTTED: dict[str, list[KeyForm]] = {}
_SEARCHED: list[KeyForm] = []
for _form in ALL_KEYS:
    if not _is_run(_form.tail):
        _SEARCHED.append(_form)
    elif re.fullmatch(r"[0-9A-Za-z_-]{2,}", _form.prefix):
        _BY_START.setdefault(_form.prefix[:_START], []).append(_form)
    elif _form.prefix[-1] in ".~/":
        _DOTTED.setdefault(_form.prefix[-2:], []).append(_form)
    else:
        _SEARCHED.append(_form)


def find_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Where in ``text`` keys of a known form are: start, end and the form's name."""
    for run in _RUN_OF_KEY.finditer(text):
        start = run.start()
        if text[start - 1 : start] in _LEADING:
            yield from _found(text, [(start - len(form.prefix), form) for form in _dotted(text, start)])
            yield from _found(text, [(at, form) for at in _starts(text, start) for form in _beginning(text, at)])
            continue
        while text[start] in "-_" and start + _START < run.end():  # dashes before an option's name
            start += 1
        if text[start : start + _START] in _BY_START or text[start : start + 2] in _BY_START:
            yield from _found(text, [(start, form) for form in _beginning(text, start)])
            yield from _cut(text, start, run.end())
    letters = flat(text)
    for form in _SEARCHED:
        yield from _found(text, [(at, form) for at in places(form.prefix.encode(), letters)])


def _found(text: str, forms: Iterable[tuple[int, KeyForm]]) -> Iterator[tuple[int, int, str]]:
    for at, form in forms:
        end = form.end(text, at)
        if end > 0:
            yield at, end, form.name


def _beginning(text: str, at: int) -> Iterator[KeyForm]:
    yield from _BY_START.get(text[at : at + _START], ())
    yield from _BY_START.get(text[at : at + 2], ())


def _dotted(text: str, start: int) -> list[KeyForm]:
    return _DOTTED.get(text[max(0, start - 2) : start], [])


_CUT = re.compile(r"\s?(?:…|\.{3}|\*{2}|\[)")
_LEFT = 8
"""How much of a key is there at least, beyond its prefix, where it is taken for one that was cut."""


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """The beginning of a key, before a mark that says that it goes on."""
    prefixes = (form.prefix for form in _beginning(text, start) if text.startswith(form.prefix, start))
    size = max(map(len, prefixes), default=0)
    if size and end - start >= size + _LEFT and _CUT.match(text, end) and not is_stand_in(text[start:end]):
        yield start, end, "cut key"


def _starts(text: str, start: int) -> tuple[int, ...]:
    """Where in a run a key may begin: at its start, and after what belongs to an escape before it."""
    before = text[start - 1] if start else ""
    if before == "%":
        return start, start + 2
    return (start, start + 1, start + 3, start + 5) if before == "\\" else (start,)


def _begins(text: str, at: int) -> bool:
    """Whether a word may begin here: no letter comes before, but one that belongs to an escape."""
    start = at
    while start and text[start - 1] in "-_":
        start -= 1
    before = text[start - 1] if start else " "
    if not before.isascii() or not (before.isalnum() or before == "+"):
        return True
    return start == at and _ESCAPE.search(text, max(0, at - 6), at) is not None


_BASE64 = re.compile(r"[A-Za-z0-9+/=]*")
_REACH = 400
_OPAQUE = 100
"""So many letters of base64 around a key make it a part of them."""


def _is_in_base64(text: str, start: int, end: int) -> bool:
    """Whether what looks like a key is a piece of a long run of base64, whose letters happen to fall so."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before not in ("/", "+") and after not in ("/", "+"):
        return False
    right = _BASE64.match(text, end, end + _REACH)
    left = _BASE64.match(text[max(0, start - _REACH) : start][::-1])
    assert right is not None and left is not None
    around = right.group() + left.group()
    return len(around) >= _OPAQUE and not _is_path(around)


def _is_path(around: str) -> bool:
    """Whether slashes stand too near to each other for base64, where one comes in 64 letters."""
    return around.count("/") * 12 > len(around) and "+" not in around
