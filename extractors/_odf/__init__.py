"""OpenDocument, zipped or flat, read from its XML."""
