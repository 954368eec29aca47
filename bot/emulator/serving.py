"""The child's side of a server process: serve, say where, end on SIGTERM or when the parent is gone."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading

from aiohttp import web


async def serve(app: web.Application, *, cancel_on_disconnect: bool = False) -> None:
    """Serves on a free port of the loopback and prints its address as one JSON line; returns when told to end."""
    runner = web.AppRunner(
        app, handler_cancellation=cancel_on_disconnect, access_log=None, handle_signals=False, shutdown_timeout=0.5
    )
    await runner.setup()
    ended = _told_to_end()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        sys.stdout.write(json.dumps({"url": f"http://127.0.0.1:{port}"}) + "\n")
        sys.stdout.flush()
        await ended.wait()
    finally:
        await runner.cleanup()


def _told_to_end() -> asyncio.Event:
    """Set by SIGTERM, SIGINT or the end of standard input; watched before anybody knows our address."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    # A thread, because the loop can't watch every kind of standard input; a daemon, so that it never delays the end.
    threading.Thread(target=_wait_for_eof, args=(loop, ended), daemon=True).start()
    return ended


def _wait_for_eof(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    # Not through sys.stdin: the end of the interpreter would wait for the lock of its buffer.
    while os.read(0, 4096):
        pass
    loop.call_soon_threadsafe(ended.set)
