"""Work on many machines, by dask.distributed: it says who does what, and does again what a lost worker was doing.

An engine is named ``pool`` (this machine's cores), ``dask`` (workers that are started on this machine) or
``dask:ADDRESS`` (a scheduler that is there, such as ``dask:tcp://10.0.0.5:8786``). The extra ``dask`` installs what it
needs. Workers need this package, in the same version, and see the same files under the same names.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")

POOL = "pool"
DASK = "dask"

TRIES = 3
"""How many workers may be lost by one piece of work before it is given up: it may be what kills them."""


SETTINGS = {
    "distributed.scheduler.allowed-failures": TRIES,
    "distributed.admin.log-format": "%(message)s",
    "distributed.worker.multiprocessing-method": "spawn" if os.name == "nt" else "forkserver",  # imports once for all
    "distributed.worker.profile.enabled": False,  # it would look at what a worker does a hundred times a second
}
"""What dask.distributed is told, where it starts workers."""


class ClusterError(ValueError):
    """There is no such engine, it is not installed, it cannot be reached, or work was given up. The message says it."""


def check_engine(engine: str) -> None:
    """Raises `ClusterError` for what names no engine."""
    kind, _, address = engine.partition(":")
    if engine != POOL and (kind != DASK or (":" in engine and not address)):
        raise ClusterError(f"{engine!r} is no engine: pool, dask or dask:ADDRESS")


@contextlib.contextmanager
def cluster(engine: str, workers: int) -> Iterator[Any]:
    """A client of the engine's scheduler. ``workers`` are started where it names none. Raises `ClusterError`."""
    check_engine(engine)
    try:
        import dask
        import distributed
    except ModuleNotFoundError as problem:
        raise ClusterError(f"it needs {problem.name}: pip install 'toolcall-conformance[dask]'") from None
    library: Any = distributed  # it has no types
    dask.config.set(SETTINGS)
    address = engine.partition(":")[2]
    with contextlib.ExitStack() as stack:
        try:
            if not address:
                made = library.LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=40
                )
                address = stack.enter_context(made)
            client = stack.enter_context(library.Client(address))
        except (OSError, ValueError) as problem:
            raise ClusterError(f"{engine}: {problem}") from None
        yield client


def cores_of(client: Any) -> int:
    """How many pieces of work are done at once."""
    return sum(client.nthreads().values()) or os.cpu_count() or 1


def worked(client: Any, work: Callable[[A], B], pieces: Sequence[A]) -> Iterator[tuple[int, B]]:
    """What comes of each piece of work, with its place, as soon as it is done. Raises `ClusterError` when a piece was
    lost too often, and what the work raises."""
    import distributed

    library: Any = distributed
    futures = client.map(work, pieces, pure=False)
    places = {future.key: place for place, future in enumerate(futures)}
    try:
        done = library.as_completed(futures)
        del futures
        for future in done:
            yield places[future.key], future.result()
            future.release()  # what came of it is not kept
    except library.KilledWorker as problem:
        raise ClusterError(f"{TRIES} workers were lost by one piece of work: {problem}") from None
