"""A local Feishu and a local model endpoint that speak the real wire: for `duwen demo` and for the tests.

Each runs in a process of its own (`python -m bot.emulator.feishu`, `python -m bot.emulator.model`). `process` starts
and ends them; `chat` and `endpoint` are typed clients of their `/emulator/` doors; `wire` holds the values in between.
Where the real wire is not documented, the emulator refuses rather than guesses, and a comment says so.
"""
