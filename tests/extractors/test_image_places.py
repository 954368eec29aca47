"""Images that a handler has stored stand in the text by their address."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from extractors import ExtractedContent, ExtractedImage, Status, place_images


def image(name: str | None, data: bytes = b"\x89PNG") -> ExtractedImage:
    return ExtractedImage(data, "image/png", width=1, height=1, name=name)


def content(text: str | None, *images: ExtractedImage) -> ExtractedContent:
    return ExtractedContent(text=text, images=images, note="a note", truncated=True, status=Status.PARTIAL)


def stored(data: bytes, media_type: str, name: str) -> str:
    return f"https://x.example/{name.replace(' ', '-')}?{media_type}&{len(data)}"


async def test_the_address_stands_wherever_the_image_stood() -> None:
    before = content("a\n\n[image: image 1] (a tree)\n\n| [image: image 1] |", image("image 1"))

    after = await place_images(before, stored)

    address = "https://x.example/image-1?image/png&4"
    assert after == replace(before, text=f"a\n\n![image 1]({address}) (a tree)\n\n| ![image 1]({address}) |", images=())


async def test_coroutines_serve_too_and_start_in_order() -> None:
    started: list[str] = []

    async def handler(_data: bytes, _media_type: str, name: str) -> str:
        started.append(name)
        await asyncio.sleep(0)
        return f"data:{name}"

    after = await place_images(content("[image: b] [image: a]", image("a"), image("b")), handler)

    assert (after.text, started) == ("![b](data:b) ![a](data:a)", ["a", "b"])


async def test_handlers_run_side_by_side() -> None:
    both = threading.Barrier(2, timeout=10)

    def handler(_data: bytes, _media_type: str, name: str) -> str:
        both.wait()
        return name

    after = await place_images(content("[image: a][image: b]", image("a"), image("b")), handler)

    assert after.text == "![a](a)![b](b)"


async def test_an_image_without_an_address_stays_an_image() -> None:
    before = content("[image: a] [image: b]", image("a"), image("b"))

    after = await place_images(before, lambda _data, _media_type, name: "x" if name == "b" else None)

    assert (after.text, after.images) == ("[image: a] ![b](x)", before.images[:1])


@pytest.mark.parametrize(("text", "expected"), [("words", "words\n\n![image 1](x)"), (None, "![image 1](x)")])
async def test_an_image_without_a_place_comes_at_the_end(text: str | None, expected: str) -> None:
    after = await place_images(content(text, image(None)), lambda *_: "x")

    assert after.text == expected


async def test_no_image_is_lost_when_two_have_the_same_name() -> None:
    before = content("[image: a]", image("a", b"1"), image("a", b"2"))

    after = await place_images(before, lambda data, *_: data.decode())

    assert after.text == "![a](1)\n\n![a](2)"


async def test_neither_name_nor_address_breaks_out_of_its_place() -> None:
    name = "a](http://evil.example) | b\\"
    before = content(f"| [image: {name}] |\n| [image: a](http://evil.example) \\| b\\\\] |", image(name))

    after = await place_images(before, lambda *_: "out/报 告(1)|\n.png")

    placed = r"![a\](http://evil.example) \| b\\](out/报%20告%281%29%7C%0A.png)"
    assert after.text == f"| {placed} |\n| {placed} |"


async def test_a_handler_that_fails_fails_that_content_alone() -> None:
    def handler(_data: bytes, _media_type: str, name: str) -> str:
        if name == "b":
            raise ConnectionError("secret")
        return "x"

    before = content("[image: a]", image("a"), image("b"))
    failed, fine = await asyncio.gather(
        place_images(before, handler), place_images(content("[image: a]", image("a")), handler)
    )

    assert (failed.status, failed.note) == (Status.FAILED, "the image handler failed (ConnectionError)")
    assert (failed.text, failed.images) == (None, ())
    assert fine.text == "![a](x)"


async def test_nothing_to_place_changes_nothing() -> None:
    assert await place_images(content("text"), stored) == content("text")
