"""Values that stand in groups of their own: descriptions, authors, labels, and the digits of pictures and files."""

from __future__ import annotations

from collections.abc import Callable

from extractors._rtf.pictures import RtfPicture, bytes_of_digits
from extractors._rtf.reader import Reader
from extractors._rtf.state import State


def capture(reader: Reader, closer: Callable[[Reader, State], None]) -> None:
    """Reads a value: what is said until the group ends."""
    reader.state.target = "capture"
    reader.state.captured = []
    reader.when_closed(closer)


def open_picture(reader: Reader, _number: int | None) -> None:
    """The digits of a picture."""
    picture = RtfPicture()
    reader.pictures.append(picture)
    reader.state.target = "capture"
    reader.state.captured = picture.digits
    reader.when_closed(Reader.picture_read)


def property_name(reader: Reader, _number: int | None) -> None:
    """What a property of a picture is called."""

    def read(reader: Reader, state: State) -> None:
        reader.property_name = "".join(state.captured).strip()

    capture(reader, read)


def property_value(reader: Reader, _number: int | None) -> None:
    """The words that describe a picture."""

    def read(reader: Reader, state: State) -> None:
        if reader.property_name == "wzDescription" and reader.pictures:
            reader.pictures[-1].words = "".join(state.captured).strip()

    capture(reader, read)


def author(reader: Reader, _number: int | None) -> None:
    """Who wrote a comment."""

    def read(reader: Reader, state: State) -> None:
        reader.comment_author = "".join(state.captured).strip()

    capture(reader, read)


def label(reader: Reader, _number: int | None) -> None:
    """The number of an item, or its bullet."""
    capture(reader, Reader.label_read)


def embedded(reader: Reader, _number: int | None) -> None:
    """The digits of a file that is put into the document."""

    def read(reader: Reader, state: State) -> None:
        reader.objects.append(bytes_of_digits(state.captured))

    capture(reader, read)
