"""Loads everything a reader may import while it reads: a confined child opens no file, so it cannot import."""

from __future__ import annotations

import encodings
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

from extractors.budget import Budget
from extractors.content import Job
from extractors.limits import ExtractLimits
from extractors.sandbox.child import Extract

#: Codecs that exist on other systems only.
_FOREIGN_CODECS = frozenset({"mbcs", "oem"})

Samples = Callable[[], Iterator[tuple[str, bytes]]]


def load(entry: str, samples: str) -> Extract:
    """The callable that `entry` names ("module:name"), after it has read each of the small files of `samples`."""
    for codec in pkgutil.iter_modules(encodings.__path__):
        if codec.name not in _FOREIGN_CODECS:
            importlib.import_module(f"encodings.{codec.name}")
    extract: Extract = _named(entry)
    files: Samples = _named(samples)
    for name, data in files():
        for _ in extract(Job(data=data, name=name), Budget(limits=ExtractLimits())):
            pass
    return extract


def _named(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
