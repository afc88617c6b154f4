"""Makes scenarios/answers/*.yaml: answers in all forms that providers were recorded to send, or that their
SDKs' types have, and that no written scenario shows.

    python tools/generate_answers.py              all providers
    python tools/generate_answers.py anthropic    one of them
    python tools/generate_answers.py --check      say what is not as it would be made; exit code 1

What no change brings about is told, with the reason: a scenario must be written for it, or the reader has a fault.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from conformance.coverage.measure import packaged, shown_by
from conformance.derivation.bases import bases_of
from conformance.derivation.derive import derive
from conformance.derivation.files import FAMILY, answer_scenarios
from conformance.scenario_files import write_scenario
from conformance.scenarios import scenario_root
from conformance.wires import PROVIDERS

HEADER = "# Made by tools/generate_answers.py. Not written by hand.\n"


def main(providers: list[str], *, check: bool) -> int:
    """Make, or compare."""
    root, changed = scenario_root() / FAMILY, 0
    for provider in providers or PROVIDERS:
        made = _made(provider)
        old = {path.name: path.read_text("utf-8") for path in root.glob(f"{provider.replace('-', '_')}_*.yaml")}
        old = {name: text for name, text in old.items() if f"providers:\n- {provider}\n" in text}
        for name in sorted(old.keys() | made.keys()):
            if old.get(name) == made.get(name):
                continue
            changed += 1
            if check:
                print(f"{name} is not as it would be made")
            elif name in made:
                root.mkdir(exist_ok=True)
                (root / name).write_text(made[name], "utf-8", newline="\n")
            else:
                (root / name).unlink()
    return int(check and changed > 0)


def _made(provider: str) -> dict[str, str]:
    """The files of one provider, by name."""
    shown = shown_by(provider, lambda scenario: not scenario.startswith(f"{FAMILY}."))
    found = derive(provider, shown, packaged().get(provider, {}), bases_of(provider))
    for form, why in sorted(found.refused.items()):
        print(f"{provider}: {form}: {why}")
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for scenario in answer_scenarios(found):
            path = Path(folder) / FAMILY / f"{scenario.id.partition('.')[2]}.yaml"
            write_scenario(scenario, path)
            files[path.name] = HEADER + path.read_text("utf-8")
    return files


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("provider", nargs="*", choices=[[], *PROVIDERS])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    sys.exit(main(options.provider, check=options.check))
