from __future__ import annotations

import base64
import io
import random
from dataclasses import dataclass

import pytest
from PIL import Image

from extractors.budget import Budget
from extractors.content import Block, Detection, Job, LeftOut, Member, Picture, Status, Text
from extractors.extract import extract_content
from extractors.format import Unreadable
from extractors.formats.email import FORMAT
from extractors.limits import ExtractLimits

Yielded = Block | Member | LeftOut


@dataclass(frozen=True, kw_only=True)
class Reading:
    blocks: list[Yielded]
    ended: Unreadable | None = None

    @property
    def texts(self) -> list[str]:
        return [block.markdown for block in self.blocks if isinstance(block, Text)]

    @property
    def head(self) -> list[str]:
        return self.texts[0].split("\n")

    @property
    def body(self) -> str:
        return "\n\n".join(self.texts[1:])

    @property
    def members(self) -> dict[str, Member]:
        return {block.path: block for block in self.blocks if isinstance(block, Member)}


def read(data: bytes) -> Reading:
    blocks: list[Yielded] = []
    try:
        for block in FORMAT.extract(Job(data=data), Detection(media_type=""), Budget(limits=ExtractLimits())):
            blocks.append(block)
    except Unreadable as exc:
        return Reading(blocks=blocks, ended=exc)
    return Reading(blocks=blocks)


def letter(*parts: bytes, kind: str = "mixed", head: bytes = b"") -> bytes:
    """A letter of several parts; each part brings its own fields."""
    inside = b"".join(b"--B\n" + part + b"\n" for part in parts)
    return head + f"Content-Type: multipart/{kind}; boundary=B\n\n".encode() + inside + b"--B--\n"


def part(media_type: str, content: bytes, *fields: str) -> bytes:
    lines = [f"Content-Type: {media_type}", "Content-Transfer-Encoding: base64", *fields]
    return "\n".join(lines).encode("utf-8") + b"\n\n" + base64.encodebytes(content)


def png(side: int = 64) -> bytes:
    buffer = io.BytesIO()
    Image.effect_noise((side, side), 50).save(buffer, "PNG")
    return buffer.getvalue()


# --- fields -----------------------------------------------------------------------------------------------------------


def test_the_fields_stand_first_each_on_a_line_and_the_body_is_set_apart_from_them():
    reading = read(
        b"From: Ann <ann@example.com>\nTo: bob@example.com,\n cid@example.com\nCc: dan@example.com\n"
        b"Date: Mon, 6 May 2024 10:00:00 +0800\nSubject: Offer\nX-Spam: no\n\nFrom: nobody\n"
    )
    assert reading.head == [
        "From: Ann <ann@example.com>",
        "To: bob@example.com, cid@example.com",
        "Cc: dan@example.com",
        "Date: Mon, 6 May 2024 10:00:00 +0800",
        "Subject: Offer",
        "Content:",
    ]
    assert reading.body == "From: nobody"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"=?gb2312?B?1uzpRrv5?=", "朱镕基"),  # beyond GB2312, under its name
        (b"=?utf-8?B?5ZCI?= =?utf-8?B?5ZCM?=", "合同"),
        (b"=?utf-8?B?5ZA=?= =?utf-8?B?iOWQjA==?=", "合同"),  # one character in two words
        (b"=?utf-8?Q?caf=C3=A9_noir?= tonight", "café noir tonight"),
        (b"=?big5?B?pKSk5bT6uNU=?=", "中文測試"),
        (b"=?x-unknown?B?" + base64.b64encode("合同条款".encode("gb18030")) + b"?=", "合同条款"),
        (b"=?utf-8?B?5ZCI5ZC?=", "合"),  # cut off
        ("原始八位主题".encode("gbk"), "原始八位主题"),
        ("raw utf-8 标题".encode(), "raw utf-8 标题"),
        (b"folded\n subject", "folded subject"),
    ],
)
def test_a_subject_is_read_however_it_was_written(raw, shown):
    assert f"Subject: {shown}" in read(b"Subject: " + raw + b"\n\nText").head


def test_thousands_of_recipients_are_cut():
    head = read(b"To: " + b", ".join(b"person%d@example.com" % n for n in range(5000)) + b"\n\nText").head
    assert len(head[0]) < 2_100
    assert head[0].endswith("…")


# --- body -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        ("gb2312", "gbk", "朱镕基总理的讲话全文"),
        ("gbk", "gb18030", "𠮷野家的发票"),
        ("utf-8", "gbk", "会议改到周五下午三点"),
        ("iso-8859-1", "gbk", "会议改到周五下午三点"),
        ("us-ascii", "utf-8", "会议改到周五"),
        ("windows-1252", "cp1252", "Réponse à la réunion déjà prévue"),
        ("iso-8859-8-i", "iso8859-8", "שלום לכולם"),
        ("big5", "big5hkscs", "香港啲嘢"),
        ("cp950", "big5hkscs", "香港啲嘢"),
        ("iso-2022-jp", "iso2022_jp", "会議の資料です"),
        ("ks_c_5601-1987", "cp949", "회의 자료입니다"),
        ("no-such-charset", "utf-8", "会议改到周五"),
    ],
)
def test_a_body_is_read_whatever_its_charset_is_called(charset, encoding, text):
    reading = read(f"Content-Type: text/plain; charset={charset}\n\n".encode() + text.encode(encoding))
    assert reading.texts == [text]


def test_a_damaged_character_does_not_change_the_charset():
    reading = read(b"Content-Type: text/plain; charset=gb2312\n\n" + "会议改到周五".encode("gbk") + b"\xff\n")
    assert "会议改到周五" in reading.texts[0]


def test_the_plain_form_is_preferred_and_its_quoted_parts_are_kept():
    reading = read(
        letter(
            part("text/plain", b"Yes.\n\n> Shall we?\n>> When?"), part("text/html", b"<b>Yes.</b>"), kind="alternative"
        )
    )
    assert reading.texts == ["Yes.\n\n> Shall we?\n>> When?"]


def test_html_is_read_where_the_plain_form_is_only_a_stub():
    html = (
        b"<table border=1><tr><th>Item</th><th>Price</th></tr>" + b"<tr><td>Tea</td><td>5</td></tr>" * 60 + b"</table>"
    )
    reading = read(letter(part("text/plain", b"Use a modern program."), part("text/html", html), kind="alternative"))
    assert "| Tea | 5 |" in reading.texts[0]
    assert "modern program" not in reading.texts[0]


def test_an_html_body_is_decoded_by_its_part_and_keeps_its_table():
    html = "<p>网页正文</p><table border=1><tr><td>甲</td><td>乙</td></tr><tr><td>1</td><td>2</td></tr></table>"
    reading = read(b"Subject: a\nContent-Type: text/html; charset=gbk\n\n" + html.encode("gbk"))
    assert reading.texts[1:] == ["网页正文", "| 甲 | 乙 |\n| --- | --- |\n| 1 | 2 |"]


def test_texts_that_stand_side_by_side_are_all_read():
    reading = read(letter(part("text/plain", b"Body"), part("text/plain", b"Footer of the list")))
    assert reading.texts == ["Body", "Footer of the list"]


def test_a_picture_in_the_body_is_shown_where_it_stood():
    related = letter(
        part("text/html", b'<p>Before <img src="cid:logo@x" alt="Logo"> after</p>'),
        part("image/png", png(), "Content-ID: <logo@x>", "Content-Disposition: inline; filename=logo.png"),
        kind="related",
    )
    reading = read(related)
    assert reading.texts == ["Before [image: image 1] (Logo) after"]
    assert [block.image.name for block in reading.blocks if isinstance(block, Picture)] == ["image 1"]
    assert reading.members == {}


@pytest.mark.parametrize("mark", [b"[cid:logo@x]", b"[image: logo.png]"])
def test_a_picture_named_in_a_plain_body_is_shown_there(mark):
    reading = read(
        letter(part("text/plain", b"See " + mark), part("image/png; name=logo.png", png(), "Content-ID: <logo@x>"))
    )
    assert reading.texts == ["See [image: image 1]"]
    assert reading.members == {}


# --- attachments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "disposition",
    [
        'attachment; filename="=?gbk?B?uaTXyrHtLmNzdg==?="',
        "attachment; filename*=gbk''%B9%A4%D7%CA%B1%ED.csv",
        "attachment; filename*0*=utf-8''%E5%B7%A5%E8%B5%84; filename*1*=%E8%A1%A8.csv",
        "attachment; filename=工资表.csv",
    ],
)
def test_an_attachment_keeps_its_name_however_it_was_written(disposition):
    reading = read(letter(part("text/csv", b"a,b", f"Content-Disposition: {disposition}")))
    assert {path: member.data for path, member in reading.members.items()} == {"工资表.csv": b"a,b"}
    assert reading.head[-1] == "Attachments: 工资表.csv"


def test_a_raw_gbk_name_is_read():
    raw = (
        b'Content-Type: text/csv\nContent-Disposition: attachment; filename="'
        + "工资表.csv".encode("gbk")
        + b'"\n\na,b'
    )
    assert list(read(letter(raw)).members) == ["工资表.csv"]


def test_a_name_is_never_a_folder_and_two_alike_are_told_apart():
    names = ["../../etc/passwd", "a.txt", "a.txt", ""]
    reading = read(
        letter(*(part("text/plain", b"x", f'Content-Disposition: attachment; filename="{n}"') for n in names))
    )
    assert list(reading.members) == [".._.._etc_passwd", "a.txt", "a (2).txt", "attachment 4.plain"]


def test_an_inner_letter_is_a_member_under_its_subject():
    inner = b"Content-Type: message/rfc822\n\nSubject: =?gbk?B?uaTXyrHt?=\nFrom: a@b.c\n\n" + "正文".encode("gbk")
    member = read(letter(inner)).members["工资表.eml"]
    assert member.declared_type == "message/rfc822"
    assert read(member.data).texts == ["From: a@b.c\nSubject: 工资表\nContent:", "正文"]


def test_an_inner_letter_in_base64_is_opened_too():
    member = read(letter(part("message/rfc822", b"Subject: In\n\nInner"))).members["message.eml"]
    assert read(member.data).texts == ["Subject: In\nContent:", "Inner"]


def test_letters_within_letters_are_read_to_the_last():
    third = b"Content-Type: message/rfc822\n\nSubject: Third\n\nDeep text"
    first = b"Content-Type: message/rfc822\n\nSubject: First\n\nFirst text"
    second = b"Content-Type: message/rfc822\n\n" + letter(third, head=b"Subject: Second\n").replace(b"B", b"C")
    result = extract_content(letter(first, second, kind="digest"), media_type="message/rfc822", name="all.eml")
    assert "First text" in (result.text or "")
    assert "Deep text" in (result.text or "")
    assert result.members == ("First.eml", "Second.eml", "Second.eml/Third.eml")


def test_an_invitation_is_read_as_a_calendar_file():
    assert list(read(letter(part("text/calendar", b"BEGIN:VCALENDAR"))).members) == ["attachment 1.ics"]


# --- signatures and ciphers -------------------------------------------------------------------------------------------


def ber(tag: int, *contents: bytes, endless: bool = False) -> bytes:
    content = b"".join(contents)
    if endless:
        return bytes((tag, 0x80)) + content + b"\0\0"
    size = len(content).to_bytes(3, "big")
    return bytes((tag, 0x83)) + size + content


def signed(content: bytes, *, endless: bool) -> bytes:
    oid = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"
    octets = (
        ber(0x24, ber(0x04, content[:10]), ber(0x04, content[10:]), endless=True) if endless else ber(0x04, content)
    )
    data = ber(0x30, oid + b"\x01", ber(0xA0, octets, endless=endless), endless=endless)
    inner = ber(0x30, b"\x02\x01\x01", ber(0x31), data, endless=endless)
    return ber(0x30, oid + b"\x02", ber(0xA0, inner, endless=endless), endless=endless)


@pytest.mark.parametrize("endless", [False, True])
def test_a_letter_inside_its_signature_is_read(endless):
    content = b"Content-Type: text/plain; charset=gbk\n\n" + "已签名的正文".encode("gbk")
    sealed = part("application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", signed(content, endless=endless))
    assert read(sealed).texts == ["已签名的正文"]


def test_a_clear_signature_is_no_attachment():
    reading = read(
        letter(part("text/plain", b"Hi"), part("application/pkcs7-signature; name=smime.p7s", b"x"), kind="signed")
    )
    assert (reading.texts, reading.members) == (["Hi"], {})


@pytest.mark.parametrize(
    "data",
    [
        b"Subject: s\n"
        + part("application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m", b"0\x80" + b"x" * 40),
        letter(
            part("application/pgp-encrypted", b"Version: 1"), part("application/octet-stream", b"x"), kind="encrypted"
        ),
    ],
)
def test_an_encrypted_letter_is_called_so(data):
    result = extract_content(data, media_type="message/rfc822")
    assert result.status is Status.ENCRYPTED
    assert "a password is needed" in (result.note or "")


# --- what a letter should not be --------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le"])
def test_a_letter_saved_by_a_text_editor_is_read(codec):
    assert read("Subject: 合同\nTo: a@b.c\n\nPlain text of it\n".encode(codec)).texts == [
        "To: a@b.c\nSubject: 合同\nContent:",
        "Plain text of it",
    ]


def test_blank_lines_before_the_fields_do_no_harm():
    assert read(b"\xef\xbb\xbf\r\n\nSubject: s\n\nText").texts == ["Subject: s\nContent:", "Text"]


def test_a_letter_of_countless_parts_is_refused():
    with pytest.raises(Unreadable, match="parts"):
        list(FORMAT.extract(Job(data=b"\n--B" * 50_000), Detection(media_type=""), Budget(limits=ExtractLimits())))


def test_a_letter_nested_without_end_is_refused():
    data = b"".join(b"Content-Type: multipart/mixed; boundary=B%d\n\n--B%d\n" % (n, n) for n in range(2_000))
    ended = read(data).ended
    assert ended is not None
    assert "nested" in ended.note


def test_no_damage_makes_it_raise_anything_else():
    whole = letter(
        part("text/plain; charset=gb2312", "会议".encode("gbk")),
        part("text/csv", b"a,b", "Content-Disposition: attachment; filename*=gbk''%B9%A4.csv"),
        b"Content-Type: message/rfc822\n\nSubject: In\n\nInner",
        head="Subject: =?gbk?B?uaTXyrHt?=\nFrom: 张三\n".encode("gbk"),
    )
    chance = random.Random(7)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 5, 30))):
            place = chance.randrange(len(damaged))
            damaged[place : place + chance.randrange(3)] = bytes(
                chance.randrange(256) for _ in range(chance.randrange(3))
            )
        read(bytes(damaged))


@pytest.mark.parametrize("depth", [20, 300, 900, 5000])
def test_letters_inside_letters_however_deep_never_fail_the_reader(depth) -> None:
    data = b"Subject: bottom\r\n\r\ntext\r\n"
    for _ in range(depth):
        data = b"Subject: s\r\nFrom: a@b\r\nContent-Type: message/rfc822\r\n\r\n" + data
    content = extract_content(data, media_type="", name="a.eml")
    assert content.status is not Status.FAILED
    assert "reader failed" not in (content.note or "")


# --- letters that are not as they should be ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mixed", "alternative", "related"])
def test_a_letter_of_parts_without_any_has_no_attachment(kind):
    reading = read(b"Subject: s\nContent-Type: multipart/" + kind.encode() + b"; boundary=B\n\n\n")
    assert (reading.texts, reading.members) == (["Subject: s"], {})


def test_parts_are_told_apart_where_their_boundary_is_not_named_or_named_wrong():
    inside = letter(part("text/plain", b"first"), part("text/csv", b"a,b", "Content-Disposition: attachment"))
    parts = inside.partition(b"\n\n")[2]
    for field in (b"Content-Type: multipart/mixed\n\n", b"Content-Type: multipart/mixed; boundary=other\n\n"):
        reading = read(b"Subject: s\n" + field + parts)
        assert reading.body == "first"
        assert list(reading.members) == ["attachment 1.csv"]


def test_text_in_a_letter_of_parts_is_its_body():
    assert read(b"Subject: s\nContent-Type: multipart/mixed; boundary=B\n\njust words\n").body == "just words"


def test_a_part_without_a_name_is_called_by_its_place():
    reading = read(letter(part("image/png", png(), "Content-Location: http://example.com/a/Photo%2025.png")))
    assert list(reading.members) == ["Photo 25.png"]


def test_utf8_is_known_under_any_other_name():
    text = "会议改到周五下午三点"
    for charset in ("big5", "shift_jis", "euc-kr", "gb2312"):
        assert read(f"Subject: s\nContent-Type: text/plain; charset={charset}\n\n{text}".encode()).body == text


def test_what_lists_append_behind_the_page_is_read():
    page = b"<html><body><p>body</p></body></html>\n<p>footer of the list</p>"
    assert read(b"Subject: s\nContent-Type: text/html\n\n" + page).body == "body\n\nfooter of the list"


# --- mailboxes --------------------------------------------------------------------------------------------------------

LETTERS = (
    b"From ann@example.com Mon May  6 10:00:00 2024\nFrom: ann@example.com\nSubject: one\nMessage-ID: <1>\n\n"
    b"first\n>From here\n\nFrom nowhere\n\n"
    b"From bob@example.com Mon May  6 11:00:00 2024\nFrom: bob@example.com\nSubject: two\n\nsecond\n"
)


@pytest.mark.parametrize("name", ["a.mbox", "a", "a.txt"])
def test_the_letters_of_a_mailbox_are_read_one_by_one(name):
    content = extract_content(LETTERS, media_type="", name=name)
    assert content.members == ("letter 1.eml", "letter 2.eml")
    assert "Subject: one\nContent:\n\nfirst\nFrom here\n\nFrom nowhere" in content.text
    assert content.text.endswith("Subject: two\nContent:\n\nsecond")


def test_a_mailbox_of_one_letter_is_that_letter():
    content = extract_content(LETTERS[: LETTERS.rindex(b"From bob")], media_type="", name="a.mbox")
    assert content.members == ()
    assert content.text.startswith("From: ann@example.com\nSubject: one")


def test_a_letter_of_apple_mail_is_read_without_what_stands_around_it():
    inside = b"From: ann@example.com\nMessage-ID: <1>\nSubject: s\n\nbody\n"
    content = extract_content(b"%-10d\n%s<?xml version='1.0'?><plist/>" % (len(inside), inside), media_type="")
    assert content.text == "From: ann@example.com\nSubject: s\nContent:\n\nbody"


# --- files of a signature alone ---------------------------------------------------------------------------------------


def test_a_signed_file_is_read_under_its_own_name():
    content = extract_content(signed(b"<a>1</a>", endless=False), media_type="", name="a.xml.p7m")
    assert (content.status, content.text) == (Status.OK, "<a>1</a>")


def test_a_sealed_file_is_called_encrypted():
    sealed = ber(0x30, b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03", ber(0xA0, b"x" * 40))
    content = extract_content(sealed, media_type="", name="a.xml.p7m")
    assert content.status is Status.ENCRYPTED


def test_a_signature_without_what_it_signs_is_called_so():
    oid = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"
    inner = ber(0x30, b"\x02\x01\x01", ber(0x31), ber(0x30, oid + b"\x01"))
    content = extract_content(ber(0x30, oid + b"\x02", ber(0xA0, inner)), media_type="", name="a.p7m")
    assert (content.status, content.note) == (
        Status.REJECTED,
        "the file is a signature alone: what it signs is another file",
    )


def test_text_of_two_byte_utf8_is_known_where_the_charset_does_not_fit():
    assert read("Subject: s\nContent-Type: text/plain; charset=big5\n\nnaïve Ölçü".encode()).body == "naïve Ölçü"
