"""A letter as Exchange packs it for the way, in winmail.dat: TNEF attributes around MAPI properties (MS-OXTNEF)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from extractors._declared_charset import code_page
from extractors._mail.letter import Attachment, Letter, member_name
from extractors._mail.lzfu import decompress
from extractors._mail.mapi import (
    CLASS,
    CONTENT_ID,
    DATA,
    MEDIA_TYPE,
    NAMES,
    RTF,
    letter_fields,
    letter_piece,
    unwrap,
)
from extractors._mail.property_list import PropertyList, read_properties, read_rows
from extractors.content import Status
from extractors.format import Unreadable

TNEF = "application/vnd.ms-tnef"
SIGNATURE = b"\x78\x9f\x3e\x22"
_HEADER_BYTES = 6
_ATTRIBUTE = struct.Struct("<BHHI")
_CHECKSUM_BYTES = 2
_OF_LETTER, _OF_ATTACHMENT = 1, 2
_CODE_PAGE, _PROPERTIES, _RECIPIENTS, _FROM = 0x9007, 0x9003, 0x9004, 0x8000
_RENDERING, _ATTACHED_DATA, _ATTACHED_PROPERTIES = 0x9002, 0x800F, 0x9005
#: Attributes that say what a property of MAPI says too: of letters, and the title of an attachment.
_SAME_AS = {0x8004: 0x0037, 0x8008: CLASS, 0x800C: 0x1000, 0x8010: NAMES[-1]}
_SENDER_NAME, _SENDER_ADDRESS = 0x0C1A, 0x0C1F
_TRIPLE = struct.Struct("<HHHH")
#: The class of an object that is a letter again; a document that somebody embedded has others.
_LETTER_CLASS = bytes.fromhex("0703020000000000c000000000000046")
_CLASS_BYTES = 16


class _Attribute(NamedTuple):
    level: int
    name: int
    data: bytes
    end: int


def read_tnef(data: bytes) -> Letter:
    """The letter in these bytes, as far as they go. Raises `Unreadable` where they are something else."""
    if not data.startswith(SIGNATURE):
        raise Unreadable(Status.REJECTED, "the file is not what Outlook packs (TNEF), or its beginning is lost")
    root = PropertyList()
    recipients: list[PropertyList] = []
    attached: list[PropertyList] = []
    end = _HEADER_BYTES
    for attribute in _attributes(data):
        end = attribute.end
        if attribute.level == _OF_LETTER:
            _add_to_letter(attribute, root, recipients)
        elif attribute.name == _RENDERING or not attached:
            attached.append(PropertyList(codec=root.codec, html_codec=root.html_codec))
        if attribute.level == _OF_ATTACHMENT:
            _add_to_attachment(attribute, attached[-1])
    for person in recipients:
        person.codec = root.codec
    letter = Letter(
        fields=letter_fields(root, recipients),
        pieces=[letter_piece(root)],
        rtf=decompress(root.binary(RTF)),
        is_cut=_is_cut(len(data), end) or any(properties.is_cut for properties in (root, *attached)),
    )
    letter.attachments = [_attachment(properties, number) for number, properties in enumerate(attached, start=1)]
    if root.text(CLASS).lower().startswith("ipm.note.smime"):
        unwrap(letter)
    return letter


def _is_cut(size: int, end: int) -> bool:
    """True unless the last attribute ends where the file does; some writers leave out its checksum."""
    return not size - _ATTRIBUTE.size < end <= size + _CHECKSUM_BYTES


def _attributes(data: bytes) -> Iterator[_Attribute]:
    at = _HEADER_BYTES
    while at + _ATTRIBUTE.size <= len(data):
        level, name, _, size = _ATTRIBUTE.unpack_from(data, at)
        if level not in {_OF_LETTER, _OF_ATTACHMENT}:
            return
        at += _ATTRIBUTE.size
        start, at = at, at + size + _CHECKSUM_BYTES
        yield _Attribute(level, name, data[start : start + size], at)


def _add_to_letter(attribute: _Attribute, root: PropertyList, recipients: list[PropertyList]) -> None:
    if attribute.name == _CODE_PAGE:
        root.codec = root.html_codec = code_page(int.from_bytes(attribute.data[:4], "little"))
    elif attribute.name == _PROPERTIES:
        read_properties(attribute.data, root)
    elif attribute.name == _RECIPIENTS:
        recipients.extend(read_rows(attribute.data))
    elif attribute.name == _FROM:
        _add_sender(attribute.data, root)
    elif attribute.name in _SAME_AS:
        root.narrow.setdefault(_SAME_AS[attribute.name], attribute.data)


def _add_sender(data: bytes, root: PropertyList) -> None:
    """Name and address of the sender, each with its length before both."""
    if len(data) < _TRIPLE.size:
        return
    _, _, name_bytes, address_bytes = _TRIPLE.unpack_from(data)
    name_end = _TRIPLE.size + name_bytes
    address = data[name_end : name_end + address_bytes]
    root.narrow.setdefault(_SENDER_NAME, data[_TRIPLE.size : name_end])
    root.narrow.setdefault(_SENDER_ADDRESS, address.partition(b":")[2] or address)


def _add_to_attachment(attribute: _Attribute, properties: PropertyList) -> None:
    if attribute.name == _ATTACHED_PROPERTIES:
        read_properties(attribute.data, properties)
    elif attribute.name == _ATTACHED_DATA:
        properties.bytes_of.setdefault(DATA, attribute.data)
    elif attribute.name in _SAME_AS:
        properties.narrow.setdefault(_SAME_AS[attribute.name], attribute.data)


def _attachment(properties: PropertyList, number: int) -> Attachment:
    name = next(filter(None, map(properties.text, NAMES)), "")
    media_type: str | None = properties.text(MEDIA_TYPE) or None
    load: Callable[[], bytes] = partial(properties.binary, DATA)
    if (packed := properties.objects.get(DATA)) is not None:
        load = partial(bytes, packed[_CLASS_BYTES:])
        if packed.startswith(_LETTER_CLASS):
            name, media_type = f"{name or 'message'}.tnef", TNEF
    return Attachment(
        name=member_name(name, f"attachment {number}"),
        load=load,
        media_type=media_type,
        content_id=properties.text(CONTENT_ID).strip("<> "),
    )
