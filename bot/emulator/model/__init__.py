"""The local model endpoint: strict checks, failures on request, and a stand-in that answers."""
