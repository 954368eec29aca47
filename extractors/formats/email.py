"""Mail: letters as they travel (eml) and as Outlook saves them (msg)."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._mail.mime import read_mime
from extractors._mail.outlook import read_outlook
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, LeftOut, Member
from extractors.format import Format

OUTLOOK = "application/vnd.ms-outlook"


def extract(job: Job, detection: Detection, budget: Budget) -> Iterator[Block | Member | LeftOut]:
    """The fields, the body, and each attachment as a member."""
    read = read_outlook if detection.media_type == OUTLOOK else read_mime
    yield from read(job.data).blocks(budget)


FORMAT = Format(
    name="mail",
    kind=Kind.EMAIL,
    media_types=frozenset({"message/rfc822", OUTLOOK}),
    extensions=frozenset({"eml", "msg"}),
    extract=extract,
    keeps=(
        "sender, recipients, date and subject, in any charset, also a wrongly named one",
        "the body with its quoted parts, and the pictures shown in it",
        "attachments and inner letters, read in their turn under their own names",
    ),
    libraries=("olefile", "lxml"),
    limitations=(
        "Of a body in two forms the plain one is read, unless it is only a stub of the other.",
        "Encrypted letters (S/MIME, PGP) are not opened, and signatures are not checked.",
        "What Outlook packs into winmail.dat is not read.",
        "Calendar, contact and task items of Outlook are read like letters.",
    ),
)
