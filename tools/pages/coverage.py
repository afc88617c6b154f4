"""Makes reports/coverage.md and reports/coverage.json: which forms of the formats are covered, and looked at.

    python tools/pages/coverage.py [TRAFFIC.jsonl.gz]

The recorded forms are counted anew where the recorded traffic lies beside the repository; else those of
conformance/coverage/recorded.json are taken. Then all rules hear all dialects, of which the tests hear a
sample.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from conformance.coverage.document import coverage_document
from conformance.coverage.measure import packaged
from conformance.coverage.pages import coverage_markdown
from conformance.coverage.recorded import forms_recorded, recorded_text
from conformance.dialects.trying import measured
from conformance.wires import PROVIDERS

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "traffic.jsonl.gz"
FORMS = ROOT / "conformance" / "coverage" / "recorded.json"
PAGE = ROOT / "reports" / "coverage.md"
DATA = ROOT / "reports" / "coverage.json"


DIALECTS = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/dialects/test_every_dialect.py")


def main(traffic: Path) -> int:
    """Make the page and its data. Returns 1 where a rule minds a dialect."""
    if traffic.exists():
        FORMS.write_text(recorded_text(forms_recorded([traffic])), "utf-8")
    recorded = packaged()
    document = coverage_document([measured(provider, recorded.get(provider, {})) for provider in PROVIDERS])
    DATA.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")
    PAGE.write_text(coverage_markdown(document), "utf-8")
    heard = subprocess.run([sys.executable, *DIALECTS], cwd=ROOT, env={**os.environ, "DIALECTS": "every"}, check=False)
    return heard.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS))
