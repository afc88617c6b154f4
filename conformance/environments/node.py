"""Node projects: made by npm. Shims are TypeScript, put together by esbuild, and speak the stdio protocol.

When the machine's Node is too old for a library, npm gets a newer one as well: the package ``node``, one for all
environments, which is kept beside them.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from conformance import adapters
from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.way import Way
from conformance.environments.tools import run_tool, surroundings
from conformance.processes.running import run_kept

SOURCES = Path(adapters.__file__).parent / "libraries" / "node"
PROTOCOL = Path(adapters.__file__).parents[1] / "scaffolds" / "typescript" / "src" / "protocol.ts"
DERIVE = Path(adapters.__file__).parent / "inventory" / "node" / "derive.mjs"
TYPESCRIPT = "typescript@5.9"
"""The last one whose compiler is a library of JavaScript."""
BUNDLER = "esbuild"
SHIM, DOORS = "shim.mjs", "doors"
"""What is run, which loads the shim beside it, and the folder with the modules that call its library."""
LAUNCHER, LIBRARY = "launcher.ts", "library"
"""What that is made of, and the name of the shim's own file."""
OWN_NODE = "own-node"
"""The file that says that an environment needs a newer Node than the machine's."""
BUNDLED = ("--bundle", "--packages=external", "--format=esm", "--platform=node", "--target=node20", "--log-level=error")
"""How programs are put together."""
STRIPS_TYPES = (23, 6)
"""The first Node that runs TypeScript as it is, of those that all later ones follow."""
SECONDS = 60.0


@dataclass(frozen=True)
class NodeKind:
    """Node projects. Our own part is no package: a shim is one file beside ``node_modules``.

    ``release`` is the Node that is wanted, such as ``22``, where not any will do.
    """

    release: str = ""

    suffix: ClassVar[str] = ".mjs"

    def runtime(self) -> str:
        """Any Node: npm refuses what does not run on the one that it is for."""
        return "node"

    def releases(self, distribution: str) -> Mapping[str, str] | None:
        """What the npm registry says."""
        try:
            asked = [_program("npm"), "view", distribution, "time", "--json", "--loglevel=silent"]
            done = run_kept(asked, environment=surroundings(), seconds=SECONDS)
            times: dict[str, str] = json.loads(done.stdout if not done.returncode else "")
        except (AdapterError, OSError, ValueError, subprocess.TimeoutExpired):
            return None
        return {version: time for version, time in times.items() if version not in ("created", "modified")}

    def offered(self, distribution: str) -> Mapping[str, str] | None:
        """The same: what npm lets nobody install any more is not in it."""
        return self.releases(distribution)

    def installed(self, folder: Path) -> Mapping[str, str]:
        """What npm wrote down."""
        try:
            told: Any = json.loads((folder / "package-lock.json").read_text("utf-8"))
            packages = {at.rpartition("node_modules/")[2]: one["version"] for at, one in told["packages"].items() if at}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            raise AdapterError(f"nobody can say what is installed in {folder}") from None
        return dict(sorted(packages.items()))

    def build(self, folder: Path, requirements: Sequence[str], version: str | None, date: str | None) -> str:
        """Install the library, and what puts shims together."""
        first, *rest = requirements
        (folder / "package.json").write_text('{"private": true, "type": "module"}\n', "utf-8")
        wanted = [f"{first}@{version or 'latest'}", *rest, BUNDLER]
        limit = [f"--before={date}"] if date else []
        try:
            _install(self._first_node(folder), folder, [*limit, *wanted])
        except AdapterError as problem:
            if "EBADENGINE" not in str(problem) or self.release:
                raise
            _install(_own_node(folder.parent), folder, [*limit, *wanted])
            (folder / OWN_NODE).touch()
        return _version_in(folder, first)

    def _first_node(self, folder: Path) -> str | Path:
        """The machine's Node, or the one that is wanted if that is another."""
        if not self.release:
            return _program("node")
        if shutil.which("node") and str(_version_of(_program("node"))[0]) == self.release:
            return _program("node")
        (folder / OWN_NODE).write_text(self.release, "ascii")
        return _own_node(folder.parent, self.release)

    def run_scripts(self, folder: Path, package: str) -> None:
        """Run what a package would have run when it was installed. Raises `AdapterError`."""
        node = _node_for(folder)
        npm = Path(_program("npm")).resolve()
        quiet = ["--loglevel=error", "--ignore-scripts=false"]
        run_tool([str(node), str(npm), "rebuild", "--prefix", str(folder), *quiet, package])

    def programs(self, folder: Path) -> list[Path]:
        """The folders of the programs that packages bring, and of the Node that runs them."""
        node = _node_for(folder)
        return [folder / "node_modules" / ".bin", *([] if node is None else [node.parent])]

    def add(self, folder: Path, requirements: Sequence[str], date: str | None) -> None:
        """Install more."""
        _install(_program("node"), folder, [*([f"--before={date}"] if date else []), *requirements])

    def extras(self, folder: Path, distribution: str) -> Mapping[str, Sequence[str]]:
        """Packages of Node have none. What may be installed beside them is an optional peer, of its own name."""
        peers = _manifest(folder, distribution).get("peerDependenciesMeta", {})
        return {name: [name] for name, about in peers.items() if about.get("optional")}

    def wanted(self, distribution: str, version: str, extra: str) -> str:
        """The peer, or the pin."""
        return extra

    def runs(self, folder: Path, program: Path) -> list[str] | None:
        """The environment's Node. A program finds packages in a folder beside it."""
        node, packages = _node_for(folder), program.parent / "node_modules"
        if not packages.exists():
            packages.symlink_to(folder / "node_modules")
        return None if node is None else [str(node), str(program)]

    def whole(self, folder: Path) -> bool:
        """Whether its packages are there, and the Node that runs them."""
        node = _node_for(folder)
        return (folder / "node_modules" / BUNDLER).exists() and node is not None and node.exists()

    def python(self, folder: Path) -> Path | None:
        """The worker is our own; it starts the Node process."""
        return None

    def inner(self, name: str, folder: Path, way: Way | None) -> str:
        """The command that runs the shim: its file, the way, and the modes that the way has."""
        node = _node_for(folder)
        assert node is not None
        going = [] if way is None else [way.name, *way.modes]
        return f"stdio:{shlex.join([str(node), str(_shim(LIBRARIES[name].shim, folder, node)), *going])}"


# --- Node and npm ----------------------------------------------------------------------------------------------------


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise AdapterError(f"this needs Node, and there is no program {name!r} on the path")
    return found


def _install(node: str | Path, folder: Path, wanted: Sequence[str]) -> None:
    """Install without running anything that packages bring. npm itself runs on the Node that it installs for."""
    npm = Path(_program("npm")).resolve()
    quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--engine-strict"]
    run_tool([str(node), str(npm), "install", "--prefix", str(folder), *quiet, *wanted])


def _node_for(folder: Path) -> Path | None:
    """The Node that an environment runs on."""
    if (folder / OWN_NODE).exists():
        return _node_in(_node_folder(folder.parent, (folder / OWN_NODE).read_text("ascii")))
    found = shutil.which("node")
    return Path(found) if found else None


def _node_in(folder: Path) -> Path:
    return folder / "node_modules" / "node" / "bin" / "node"


def _node_folder(at: Path, release: str) -> Path:
    return at / f"node{release}"


def _own_node(at: Path, release: str = "") -> Path:
    """A Node of a release, else the newest, installed once for all environments in ``at``. Its package fetches it by a
    script."""
    kept = _node_folder(at, release)
    if not _node_in(kept).exists():
        building = Path(tempfile.mkdtemp(prefix="node-", dir=at))
        (building / "package.json").write_text('{"private": true}\n', "utf-8")
        try:
            quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
            wanted = f"node@{release or 'latest'}"
            run_tool([_program("npm"), "install", "--prefix", str(building), *quiet, wanted])
            if not _node_in(kept).exists():
                shutil.rmtree(kept, ignore_errors=True)
                building.rename(kept)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return _node_in(kept)


def _version_in(folder: Path, distribution: str) -> str:
    return str(_manifest(folder, distribution)["version"])


def _manifest(folder: Path, distribution: str) -> dict[str, Any]:
    """What an installed package says of itself."""
    text = (folder / "node_modules" / distribution / "package.json").read_text("utf-8")
    told: dict[str, Any] = json.loads(text)
    return told


# --- what types say --------------------------------------------------------------------------------------------------


def compiler(at: Path) -> Path:
    """The folder in which the compiler of TypeScript is installed: once for all environments in ``at``."""
    return _tool(at, "typescript", TYPESCRIPT)


def _tool(at: Path, name: str, package: str) -> Path:
    """The folder in which a tool of Node's is installed: once for all that need it, in ``at``."""
    kept = at / name
    if not (kept / "node_modules" / name).exists():
        at.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=at))
        (building / "package.json").write_text('{"private": true}\n', "utf-8")
        try:
            _install(_program("node"), building, [package])
            _take_place(building, kept)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return kept


# --- programs in TypeScript ------------------------------------------------------------------------------------------


def runnable(program: Path, at: Path) -> list[str]:
    """The command that runs a program in TypeScript, and what it imports beside it, with this machine's Node.

    A Node that strips types runs it as it is. For another one esbuild, which is kept in ``at``, makes one file of it.
    Raises `AdapterError` where there is no Node, or no esbuild to be had.
    """
    node = _program("node")
    if _version_of(node) >= STRIPS_TYPES:
        return [node, str(program)]
    sources = sorted(program.parent.glob("*.ts"))
    mark = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    made = at / f"{program.stem}-{mark}.mjs"
    if not made.exists():
        bundler = _tool(at, BUNDLER, BUNDLER) / "node_modules" / BUNDLER / "bin" / BUNDLER
        with tempfile.TemporaryDirectory(dir=at) as building:
            half = Path(building) / made.name
            run_tool([node, str(bundler), str(program), *BUNDLED, f"--outfile={half}"])
            half.replace(made)
    return [node, str(made)]


def _version_of(node: str) -> tuple[int, ...]:
    said = run_kept([node, "--version"], environment=surroundings(), seconds=SECONDS).stdout
    return tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])


def types_told(folder: Path, distribution: str, request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What the type definitions of the library in an environment say of its doors (`derive.mjs`).

    Raises `AdapterError` and what running it raises.
    """
    asked = json.dumps({**request, "folder": str(folder)})
    command = [_program("node"), str(DERIVE), asked, str(compiler(folder.parent))]
    done = run_kept(command, environment=surroundings(), seconds=seconds)
    if done.returncode:
        raise AdapterError((done.stderr.strip().splitlines() or ["?"])[-1])
    told: dict[str, Any] = json.loads(done.stdout)
    return {**told, "version": _version_in(folder, distribution)}


# --- shims -----------------------------------------------------------------------------------------------------------


def _shim(module: str, folder: Path, node: Path) -> Path:
    """The shim as one file of JavaScript, with its doors beside it as they are. Made anew when a source has changed."""
    sources = (*sorted(path for path in SOURCES.rglob("*") if path.is_file()), PROTOCOL)
    mark = hashlib.sha256(b"".join(source.read_bytes() for source in sources))
    made = folder / f"{module}-{mark.hexdigest()[:12]}"
    if not made.exists():
        bundler = folder / "node_modules" / BUNDLER / "bin" / BUNDLER
        with tempfile.TemporaryDirectory(dir=folder) as building:
            half = Path(building) / "shim"
            how = [*BUNDLED, f"--external:./{LIBRARY}.mjs", "--out-extension:.js=.mjs", f"--outdir={half}"]
            made_of = [f"{SHIM.removesuffix('.mjs')}={SOURCES / LAUNCHER}", f"{LIBRARY}={SOURCES / f'{module}.ts'}"]
            run_tool([str(node), str(bundler), *made_of, *how])
            shutil.copytree(SOURCES / DOORS, half / DOORS)
            _take_place(half, made)
    return made / SHIM


def _take_place(half: Path, made: Path) -> None:
    """Put a folder where it belongs, unless another process was faster."""
    try:
        half.rename(made)
    except OSError:
        if not made.exists():
            raise
