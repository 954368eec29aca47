"""Mail: letters as they travel (eml), as Outlook saves (msg) or packs them (winmail.dat), and mailboxes (mbox)."""

from __future__ import annotations

from collections.abc import Iterator

from extractors._mail.mailbox import letters
from extractors._mail.mapi import OUTLOOK
from extractors._mail.mime import read_mime
from extractors._mail.outlook import read_outlook
from extractors._mail.signed import is_signature, signed_content
from extractors._mail.tnef import TNEF, read_tnef
from extractors.budget import Budget
from extractors.content import Block, Detection, Job, Kind, LeftOut, Member, Status
from extractors.format import Format, Unreadable

MAILBOX = "application/mbox"
SECURED = "application/pkcs7-mime"


def extract(job: Job, detection: Detection, budget: Budget) -> Iterator[Block | Member | LeftOut]:
    """The fields, the body, and each attachment as a member; of a mailbox each letter as a member."""
    if detection.media_type == SECURED:
        yield _unsealed(job)
        return
    found = letters(job.data) if detection.media_type == MAILBOX else [job.data]
    if len(found) > 1:
        for number, letter in enumerate(found, start=1):
            yield Member(f"letter {number}.eml", letter, "message/rfc822")
        return
    read = {OUTLOOK: read_outlook, TNEF: read_tnef}.get(detection.media_type, read_mime)
    yield from read(found[0]).blocks(budget)


def _unsealed(job: Job) -> Member:
    """What somebody has signed; the signature is not verified."""
    content = signed_content(job.data)
    if not content and is_signature(job.data):
        raise Unreadable(Status.REJECTED, "the file is a signature alone: what it signs is another file")
    if content is None:
        raise Unreadable(Status.ENCRYPTED, "the file is encrypted (S/MIME): a key is needed to open it")
    stem, dot, _ = (job.name or "").rpartition(".")
    return Member(stem if dot else "signed content", content, is_whole=True)


FORMAT = Format(
    name="mail",
    kind=Kind.EMAIL,
    media_types=frozenset({"message/rfc822", OUTLOOK, TNEF, MAILBOX, SECURED}),
    extensions=frozenset({"eml", "emlx", "mbox", "msg", "p7m", "tnef"}),
    extract=extract,
    keeps=(
        "sender, recipients, date and subject, in any charset, also a wrongly named one",
        "the body with its quoted parts, and the pictures shown in it",
        "attachments and inner letters, read in their turn under their own names",
        "what Exchange packs into winmail.dat, as parts of the letter or as a file",
        "mailboxes letter by letter, and signed files (p7m) without their signature",
    ),
    libraries=("olefile", "lxml"),
    limitations=(
        "Of a body in two forms the plain one is read, unless it is only a stub of the other.",
        "Encrypted letters (S/MIME, PGP) are not opened, and signatures are not checked.",
        "Calendar, contact and task items of Outlook are read like letters.",
    ),
)
