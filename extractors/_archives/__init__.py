"""Readers of archives: each yields the files inside as `Member`, and those it does not unpack as `LeftOut`."""
