"""Names of files inside containers: what leads out of the container, and what may be shown."""

from __future__ import annotations

import re
import unicodedata

#: A longer path keeps its end: the name of the file.
MAX_PATH_CHARS = 200
_DRIVE = re.compile(r"[A-Za-z]:")


def leads_out(name: str) -> bool:
    """True for an absolute name, one with a drive, and one that climbs above the container."""
    path = name.replace("\\", "/")
    return path.startswith("/") or _DRIVE.match(path) is not None or ".." in path.split("/")


def shown_path(name: str) -> str:
    """`name` on one line of bounded length with forward slashes, without what is invisible or leads elsewhere."""
    # Format characters turn the direction of what follows: "exe.fdp" can be made to look like "pdf.exe".
    visible = "".join(char for char in name if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"})
    parts = [part.strip() for part in _DRIVE.sub("", visible.replace("\\", "/"), count=1).split("/")]
    path = "/".join(part for part in parts if part not in {"", ".", ".."})
    return path if len(path) <= MAX_PATH_CHARS else f"…{path[1 - MAX_PATH_CHARS :]}"
