"""A question with its files, from the event to the reply, shown in the terminal."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.panel import Panel

from bot.config import ModelSettings
from bot.demo.process import BotNotServingError
from bot.demo.samples import Sample, make_samples
from bot.demo.stage import Stage, set_stage
from bot.demo.timeline import Timeline, milliseconds, moment, size
from bot.emulator.wire import Post, Shown

CHAT_ID = "oc_demo_private"
QUESTION = "请概括这些文件的要点，并指出内容所在的页码或位置。"
REPLY_TIMEOUT_S = 600.0
#: Of no width in a chat, but terminals count it.
_BREAK = "\u200b"


def demo(paths: list[Path], question: str | None, *, once: bool, model: ModelSettings | None, prompts: Path) -> int:
    """Runs the demo and returns the exit code: 0 when every message got one finished reply that is an answer."""
    console = Console(highlight=False)
    files = [Sample(name=path.name, data=path.read_bytes()) for path in paths] or make_samples()
    try:
        return asyncio.run(_demo(console, files, question or QUESTION, once=once, model=model, prompts=prompts))
    except* (BotNotServingError, OSError) as errors:
        for error in errors.exceptions:
            console.print(f"[red]duwen:[/] {escape(str(error))}")
    except* KeyboardInterrupt:
        console.print("stopped")
    return 2


async def _demo(
    console: Console, files: list[Sample], question: str, *, once: bool, model: ModelSettings | None, prompts: Path
) -> int:
    timeline = Timeline(console)
    async with AsyncExitStack() as stack:
        with timeline.live("starting the local Feishu, the model endpoint and the bot ..."):
            stage = await stack.enter_async_context(set_stage(model, prompts=prompts))
            timeline.line("started", f"local Feishu at {stage.chat.url}; model: {stage.model}")
        show = Show(console, timeline, stage, files)
        message_id, good = await show.ask(await _with_files(stage, files, question))
        while not once and (follow_up := await show.read_question()):
            # A reply that quotes the first message: its files belong to the new question.
            quoting = Post(content={"text": follow_up}, chat_id=CHAT_ID, parent_id=message_id)
            good &= (await show.ask(quoting))[1]
    return 0 if good else 1


async def _with_files(stage: Stage, files: list[Sample], question: str) -> Post:
    """One post message: the words, the pictures in its rows, the other files beside it, as Feishu's clients send it."""
    rows: list[list[dict[str, Any]]] = [[{"tag": "text", "text": question}]]
    beside: list[dict[str, Any]] = []
    for file in files:
        if file.is_image:
            key = await stage.chat.upload(file.data, name=file.name, kind="image")
            rows.append([{"tag": "img", "image_key": key}])
        else:
            key = await stage.chat.upload(file.data, name=file.name)
            beside.append({"file_key": key, "file_name": file.name, "is_folder": False})
    return Post(content={"title": "", "content": rows, "files": beside}, msg_type="post", chat_id=CHAT_ID)


class Show:
    """Asks, follows the bot's logs, and prints what the chat shows."""

    def __init__(self, console: Console, timeline: Timeline, stage: Stage, files: list[Sample]) -> None:
        self._console = console
        self._timeline = timeline
        self._stage = stage
        # Pictures stand in the post's rows, so they come first.
        self._names = [file.name for file in sorted(files, key=lambda file: not file.is_image)]
        self._failed = False

    async def ask(self, post: Post) -> tuple[str, bool]:
        """Posts one message and shows its whole way; its id, and whether it got one finished reply."""
        chat, timeline = self._stage.chat, self._timeline
        pushed = len(await chat.deliveries())
        with timeline.live("pushing the event ..."):
            message_id = (await chat.post(post))[0]
            timeline.line("event", f"{post.msg_type} message, pushed signed and encrypted")
            delivery = (await chat.wait_for_deliveries(pushed + 1))[pushed]
            timeline.line("ack", f"HTTP {delivery.status} after {milliseconds(delivery.ack_s)}")
            async with asyncio.TaskGroup() as group:
                following = group.create_task(self._follow())
                replies = await chat.wait_for_replies(message_id, timeout_s=REPLY_TIMEOUT_S)
                following.cancel()
        while not self._stage.logs.empty():
            self._tell(self._stage.logs.get_nowait())
        timeline.line("shown", f"{len(replies)} message(s) in the chat, none still streaming")
        for reply in replies:
            self._print(reply)
        return message_id, not self._failed and sum(reply.streaming is not None for reply in replies) <= 1

    async def read_question(self) -> str:
        """The next question from the terminal; empty at its end."""
        try:
            return (await asyncio.to_thread(self._console.input, "[bold]ask again[/] (empty line ends): ")).strip()
        except EOFError:
            return ""

    async def _follow(self) -> None:
        while True:
            self._tell(await self._stage.logs.get())

    def _tell(self, record: dict[str, Any]) -> None:
        told = _TOLD.get(str(record.get("event")))
        if told is not None:
            event, describe = told
            if event == "answer" and record["first_token_s"] is not None:
                first = moment(record) - record["seconds"] + record["first_token_s"]
                self._timeline.line("first token", f"after {milliseconds(record['first_token_s'])}", at=first)
            self._timeline.line(event, describe(record, self._names), at=moment(record))
            self._timeline.doing(f"{_NEXT.get(event, event)} ...")
            self._failed |= record.get("state") == "failed"
        elif record.get("level") in ("warning", "error", "critical"):
            self._timeline.line(str(record["level"]), _trouble(record, self._names), at=moment(record))

    def _print(self, reply: Shown) -> None:
        where = f"thread {reply.thread_id}" if reply.thread_id else "chat"
        self._console.print(
            Panel(
                Markdown(reply.text.replace(_BREAK, "")),
                title=f"reply in the {where}",
                subtitle=reply.msg_type,
                border_style="green",
            )
        )


def _trouble(record: dict[str, Any], names: list[str]) -> str:
    """What went wrong, with its code, and whether it is tried again."""
    facts = [str(record["step"])] if "step" in record else []
    facts += [_name(record, names)] if "file" in record else []
    facts += [str(record[key]) for key in ("code", "detail") if record.get(key)]
    if "retry_in_s" in record:
        wait_s = record["retry_in_s"]
        facts.append("given up" if wait_s is None else f"again in {wait_s:.1f} s")
    return ": ".join(filter(None, (str(record["event"]), ", ".join(facts))))


def _name(record: dict[str, Any], names: list[str]) -> str:
    index = int(record["file"]) - 1
    return names[index] if index < len(names) else f"file {index + 1}"


def _downloaded(record: dict[str, Any], names: list[str]) -> str:
    return f"{_name(record, names)}: {size(record['bytes'])} in {milliseconds(record['seconds'])}"


def _read(record: dict[str, Any], names: list[str]) -> str:
    parts = [f"{_name(record, names)}: {record['status']}, {record['kind']}"]
    unit = {"presentation": "slide", "spreadsheet": "sheet"}.get(record["kind"], "page")
    parts += [f"{record['pages']} {unit}(s)"] if record.get("pages") else []
    parts += [f"{record['chars']:,} characters"] if record.get("chars") else []
    parts += [f"{record['images']} image(s)"] if record.get("images") else []
    return f"{', '.join(parts)} in {milliseconds(record['seconds'])}"


def _composed(record: dict[str, Any], _names: list[str]) -> str:
    return f"{record['tokens']:,} tokens (estimate), {record['images']} image(s), template {record['template']}"


def _answered(record: dict[str, Any], _names: list[str]) -> str:
    problem = f", {record['problem']}," if record.get("problem") else ""
    return f"{record['state']}{problem} after {milliseconds(record['seconds'])}"


def _replied(record: dict[str, Any], _names: list[str]) -> str:
    return f"{record['chars']:,} characters, {record['parts']} part(s), answer {record['state']}"


_TOLD = {
    "file downloaded": ("download", _downloaded),
    "file read": ("extract", _read),
    "prompt composed": ("prompt", _composed),
    "model answered": ("answer", _answered),
    "reply sent": ("reply", _replied),
}
#: What goes on after each of them.
_NEXT = {
    "download": "downloading and reading",
    "extract": "reading the files",
    "prompt": "waiting for the model; its answer streams into the card",
    "answer": "finishing the card",
}
