"""What is fuzzed: all targets by name. Each stands beside its seeds and its reader."""

from __future__ import annotations

from collections.abc import Mapping

import archives
import asked
import fuzz_recorded
import own_files
import processes_beside
import streams
from fuzz_playing import Target

TARGETS: Mapping[str, Target] = {
    target.name: target
    for room in (streams, fuzz_recorded, own_files, processes_beside, asked, archives)
    for target in room.TARGETS
}
