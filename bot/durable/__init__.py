"""Work that survives a crash: each message is a workflow of steps whose results are remembered."""
