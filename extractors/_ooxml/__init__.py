"""Shared by the Office Open XML formats: the package, what Word, Excel and PowerPoint have in common, and its parts."""
