"""The words in one picture, by OCR with the models in rapidocr's wheel. Runs in children of a zygote of its own."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from extractors import markdown
from extractors._reading_order import Piece, paragraphs
from extractors.budget import Budget
from extractors.content import Block, Ended, Job, Status, Text


def read_words(job: Job, budget: Budget) -> Iterator[Block]:  # noqa: ARG001 - a child's entry is called with both
    """A mark and the words in reading order; nothing for a picture without words."""
    try:
        engine = _engine()
    except ImportError:
        yield Ended(Status.UNSUPPORTED, "install duwen[ocr]")
        return
    with Image.open(io.BytesIO(job.data)) as picture:
        found = engine(picture.convert("RGB"))
    if not found.txts:
        return
    yield Text(markdown.recognised_words_mark(job.name or "image"))
    for paragraph in paragraphs([_piece(*line) for line in zip(found.boxes.tolist(), found.txts, strict=True)]):
        yield Text(paragraph)


def samples() -> Iterator[tuple[str, bytes]]:
    """A picture with words: it loads every model before the zygote closes."""
    Image.init()
    picture = Image.new("RGB", (160, 60), "white")
    ImageDraw.Draw(picture).text((20, 10), "Text 12", "black", ImageFont.load_default(32))
    file = io.BytesIO()
    picture.save(file, "PNG")
    yield "words.png", file.getvalue()


@cache
def _engine() -> Callable[[Image.Image], Any]:
    """One for the zygote and all its children: the sessions survive a fork, since they have no threads."""
    import cv2  # noqa: PLC0415 - a parser loads with the first file that needs it
    import rapidocr  # noqa: PLC0415 - the same

    cv2.setNumThreads(0)
    models = Path(rapidocr.__file__).with_name("models")
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # Named, so that nothing is ever downloaded: rapidocr would where it misses a model.
            **{f"{part}.model_path": _model(models, part) for part in ("Det", "Cls", "Rec")},
        }
    )


def _model(models: Path, part: str) -> str:
    (path,) = models.glob(f"*_{part.lower()}_*.onnx")
    return str(path)


def _piece(corners: list[list[float]], text: str) -> Piece:
    xs, ys = zip(*corners, strict=True)
    return Piece(min(xs), min(ys), max(xs), max(ys), text)
