"""The doors: what comes in is checked, stored, and only then acknowledged."""
