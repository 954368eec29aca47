"""The peers, an environment of its own for each, and how much room each takes, and ours."""

from __future__ import annotations

import ast
import subprocess
import sysconfig
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution, distributions, packages_distributions
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

MB: Final = 1_000_000
_PROJECT: Final = Path(__file__).resolve().parents[2]
#: What every environment begins with.
_INSTALLERS: Final = frozenset({"pip", "setuptools", "wheel"})
#: Written last, so that a half-made environment is made again.
_MARK: Final = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another reader, and the formats that it says it reads."""

    name: str
    requirement: str
    formats: frozenset[str]
    #: Those of them that it hands on as they stand, unread: a time for that is no time for reading.
    passed_on: frozenset[str] = frozenset()


PEERS: Final = (
    Peer(
        name="markitdown",
        requirement="markitdown[all]==0.1.9",
        formats=frozenset({"docx", "pptx", "xlsx", "xls", "pdf", "html", "eml", "rtf", "epub", "msg", "text"}),
        passed_on=frozenset({"eml", "rtf"}),
    ),
    Peer(
        name="office-oxide",
        requirement="office-oxide==0.1.15",
        formats=frozenset({"docx", "pptx", "xlsx", "doc", "ppt", "xls", "xlsb"}),
    ),
    Peer(
        name="anydoc",
        requirement="firecrawl-anydoc==0.2.4",
        formats=frozenset(
            {"docx", "pptx", "xlsx", "doc", "ppt", "xls", "xlsb", "pdf", "odt", "ods", "odp", "rtf", "epub"}
        ),
    ),
    Peer(name="liteparse", requirement="liteparse==2.18.0", formats=frozenset({"pdf"})),
)


def environment(peer: Peer, folder: Path) -> Path:
    """The peer's virtual environment, made if it is not there yet."""
    place = folder / peer.requirement
    if not (place / _MARK).exists():
        print(f"installing {peer.requirement}", flush=True)
        venv.create(place, clear=True, with_pip=True)
        command = [
            str(python(place)),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            peer.requirement,
        ]
        subprocess.run(command, check=True)
        (place / _MARK).touch()
    return place


def python(place: Path) -> Path:
    """The interpreter of a virtual environment."""
    return place / "bin" / "python"


def installed_mb(place: Path) -> float:
    """What is installed in a virtual environment, without the installers."""
    site_packages = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    return _megabytes(found for found in distributions(path=[site_packages]) if _name(found) not in _INSTALLERS)


def our_sizes_mb() -> dict[str, float]:
    """What our readers take with their libraries, and all of the bot, which is what is installed; without extras."""
    bot = _needs("duwen")
    roots = set(_imported_by(_PROJECT / "extractors")) & set(bot) - {"duwen"}
    readers = {name: found for root in roots for name, found in _needs(root).items()}
    ours = sum(file.stat().st_size for file in (_PROJECT / "extractors").rglob("*.py")) / MB
    return {"ours, the readers": _megabytes(readers.values()) + ours, "ours, all of the bot": _megabytes(bot.values())}


def _needs(root: str) -> dict[str, Distribution]:
    """A distribution and all that it needs, by name."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(root)]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in found:
            continue
        found[name] = distribution(name)
        needs = [Requirement(text) for text in found[name].requires or ()]
        extras = ["", *wanted.extras]
        waiting += [n for n in needs if n.marker is None or any(n.marker.evaluate({"extra": e}) for e in extras)]
    return found


def _imported_by(package: Path) -> Iterable[str]:
    """The distributions whose modules the sources of a package import."""
    homes = packages_distributions()
    for source in package.rglob("*.py"):
        for node in ast.walk(ast.parse(source.read_bytes())):
            match node:
                case ast.Import(names=names):
                    modules = [name.name for name in names]
                case ast.ImportFrom(module=str(module), level=0):
                    modules = [module]
                case _:
                    continue
            for module in modules:
                yield from map(canonicalize_name, homes.get(module.partition(".")[0], ()))


def _megabytes(those: Iterable[Distribution]) -> float:
    files = [Path(str(file.locate())) for found in those for file in found.files or ()]
    return sum(file.stat().st_size for file in files if file.is_file()) / MB


def _name(found: Distribution) -> str:
    return canonicalize_name(found.metadata["Name"])
