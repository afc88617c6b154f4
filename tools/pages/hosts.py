"""Makes the table of hosts in docs/hosts.md, and reports/hosts.json, how recorded exchanges with each were judged.

python tools/pages/hosts.py            the counts, from the corpora beside the repository, then the table
python tools/pages/hosts.py --table    the table alone, of the counts that there are
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from conformance.traffic.audit import Audit, AuditedExchange
from conformance.wires import card
from conformance.wires.host import Host
from conformance.wires.hosts import hosts

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
COUNTS = ROOT / "reports" / "hosts.json"
PAGE = ROOT / "docs" / "hosts.md"
BEGIN, END = "<!-- hosts: made by python tools/publish.py hosts -->\n", "<!-- end of hosts -->\n"
ENOUGH = 3
"""How many entries with a source a host's file must have, or little is known of the host."""

THREADS: Mapping[str, tuple[str, ...]] = {
    "bedrock-anthropic": ("anthropics/claude-agent-sdk-python/issues/694",),
    "cerebras": ("Kilo-Org/kilocode/issues/10375",),
    "copilot": ("github/copilot-cli/issues/3594", "microsoft/vscode/issues/321977"),
    "copilot-chat": ("ericc-ch/copilot-api/pull/261", "anomalyco/opencode/issues/4909"),
    "dashscope": ("QwenLM/qwen-code/issues/6338",),
    "groq": ("vercel/ai/pull/16540",),
    "minimax-anthropic": ("NousResearch/hermes-agent/issues/75725",),
    "mistral": ("charmbracelet/crush/issues/1590", "avante-corp/avante.nvim/pull/2695"),
    "moonshot": ("continuedev/continue/pull/11806",),
    "openrouter": ("open-webui/open-webui/issues/19328", "OpenRouterTeam/ai-sdk-provider/issues/254"),
    "vllm": ("vllm-project/vllm/pull/50975",),
    "xai": ("UKGovernmentBEIS/inspect_ai/pull/5460", "NousResearch/hermes-agent/pull/95011"),
    "xai-responses": (
        "UKGovernmentBEIS/inspect_ai/pull/5460", "router-for-me/CLIProxyAPI/issues/3704",
        "NousResearch/hermes-agent/issues/95003",
    ),
}  # fmt: skip
"""The threads of the list of gaps that name a host: its file must tell what each says."""


@dataclass(slots=True)
class HostCount:
    """How many recorded exchanges with a host were judged, and how many findings on accepted ones say "rejected"."""

    exchanges: int = 0
    false: int = 0


def counted(paths: list[Path]) -> dict[str, HostCount]:
    """The counts of each host with a file, by id. Providers themselves have pages of their own."""
    counts = {name: HostCount() for name, file in hosts().items() if not file.is_provider_itself}

    def watch(audited: AuditedExchange) -> None:
        count = counts.get(audited.who.speaker)
        if count is not None:
            count.exchanges += 1
            count.false += is_accused(audited)

    audit = Audit(watch=watch)
    for path in paths:
        for _ in audit.read(path):
            audit.findings.clear()
    return counts


def is_accused(audited: AuditedExchange) -> bool:
    """Whether something is said against an exchange that the host itself took, or against the host's answer."""
    return audited.record.status < 400 and any(
        finding.side == "response" or finding.weight.consequence in ("rejected", "presumed")
        for finding in audited.findings
    )


# --- the table -------------------------------------------------------------------------------------------------------


def lacking(host: Host, counts: Mapping[str, HostCount]) -> str:
    """What is missing before a host is done; empty where nothing is."""
    cited = {entry.evidence.url.removeprefix("https://github.com/") for entry in host.entries}
    if len(host.entries) < ENOUGH:
        return "too few lines"
    if missing := set(THREADS.get(host.id, ())) - cited:
        return f"{min(missing)} is not told"
    return "" if host.id in counts and not counts[host.id].false else "a recorded exchange is accused"


def table(counts: Mapping[str, HostCount]) -> Iterator[str]:
    """The lines of the table."""
    rows = [(host, lacking(host, counts)) for host in hosts().values() if not host.is_provider_itself]
    done = [host for host, lack in rows if not lack]
    judged = sum(host.id in counts and counts[host.id].exchanges > 0 for host in done)
    yield f"{len(done)} of {len(rows)} hosts are done: the others are listed as unknown. "
    yield f"Of {judged} of them exchanges are recorded.\n\n"
    yield "| host | id | wire | lines | recorded exchanges | state |\n|---|---|---|--:|--:|---|\n"
    for host, lack in rows:
        exchanges = counts.get(host.id, HostCount()).exchanges
        state = f"unknown: {lack}" if lack else "done"
        yield f"| {host.title} | `{host.id}` | {card(host.id).format} | {len(host.entries)} | {exchanges} | {state} |\n"


def page(text: str) -> str:
    """The page with the table of today."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{''.join(table(known()))}{END}{after}"


def known() -> dict[str, HostCount]:
    """The counts as they were made last."""
    return {name: HostCount(**one) for name, one in json.loads(COUNTS.read_text("utf-8")).items()}


def stale() -> list[str]:
    """Why the table is not of today."""
    missing = sorted({name for name, file in hosts().items() if not file.is_provider_itself} - set(known()))
    lines = [f"{name} was not counted" for name in missing]
    text = PAGE.read_text("utf-8")
    return lines if page(text) == text else [*lines, "the table is not of the files"]


def main() -> int:
    """Make both. Returns the exit code."""
    if "--table" not in sys.argv[1:]:
        paths = sorted(CORPUS.glob("*.jsonl.gz"))
        if not paths:
            print(f"no recorded traffic in {CORPUS}", file=sys.stderr)
            return 1
        counts = {name: asdict(one) for name, one in counted(paths).items()}
        COUNTS.write_text(json.dumps(counts, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
