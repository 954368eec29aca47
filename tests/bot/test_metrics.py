"""The numbers: each has its line in the operators' handbook, and the handbook names no other."""

from __future__ import annotations

import re
from pathlib import Path

from bot.metrics import Metrics

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_handbook_names_every_number_and_no_other() -> None:
    families = {family.name: family.type for family in Metrics().registry.collect()}
    shown = {f"{name}_total" if kind == "counter" else name for name, kind in families.items()}
    named = set(re.findall(r"`(duwen_[a-z_]+)", OPERATIONS.read_text("utf-8")))
    assert named == shown
