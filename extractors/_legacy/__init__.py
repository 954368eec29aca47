"""Shared by the formats of Office 97 and before: their containers, their records, and the readers of each program."""
