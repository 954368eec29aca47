"""SVG: the words in reading order, and a picture of the drawing with its text, Chinese too."""

from __future__ import annotations

import base64
import gzip
import io
import time
from collections.abc import Callable

import pytest
from PIL import Image

from extractors import Status, extract_content
from extractors.content import ExtractedContent
from extractors.sandbox.extractor import SandboxedAttachmentExtractor

XMLNS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
MARK = "[image: image]"


def svg(inner: str, attributes: str = 'viewBox="0 0 400 200"') -> bytes:
    return f'<?xml version="1.0"?><svg {XMLNS} {attributes}>{inner}</svg>'.encode()


def read(data: bytes, name: str = "drawing.svg") -> ExtractedContent:
    return extract_content(data, media_type="", name=name)


def words(inner: str) -> list[str]:
    text = read(svg(inner)).text or ""
    return text.removesuffix(MARK).strip().split("\n")


def count(image: Image.Image, is_wanted: Callable[[int, int, int], bool]) -> int:
    data = image.tobytes()
    return sum(is_wanted(*data[place : place + 3]) for place in range(0, len(data), 3))


def is_red(red: int, _green: int, blue: int) -> bool:
    return red > 200 and blue < 80


def pixels(result: ExtractedContent) -> Image.Image:
    return Image.open(io.BytesIO(result.images[0].data)).convert("RGB")


# --- words ------------------------------------------------------------------------------------------------------------


def test_words_are_read_row_by_row_whatever_their_order_in_the_file():
    inner = (
        '<text x="200" y="20">B</text><text x="10" y="100">C</text><text x="10" y="22">A</text>'
        '<g transform="translate(100,0)"><g transform="scale(2)"><text x="5" y="50">D</text></g></g>'
    )
    assert words(inner) == ["A  B", "C  D"]


def test_spans_with_a_place_of_their_own_are_lines():
    second = '<tspan x="10" dy="1.2em">第二<tspan>行</tspan></tspan>'
    inner = f'<text x="10" y="20"><tspan x="10" dy="1em">第一行</tspan>{second}</text>'
    assert words(inner) == ["第一行", "第二行"]


def test_turned_words_stand_where_they_are_seen():
    inner = '<text x="50" y="10">top</text><g transform="rotate(-90 20 150)"><text x="20" y="150">axis</text></g>'
    assert words(inner) == ["top", "axis"]


def test_title_and_description_come_first_and_programs_not_at_all():
    inner = (
        "<title>架构图</title><desc>v2</desc><script>secret()</script><style>.a{}</style><defs><text>unused</text></defs>"
        '<g><title>tooltip</title></g><text y="9">seen</text>'
    )
    assert words(inner) == ["架构图", "v2", "seen"]


def test_pages_inside_a_drawing_are_read_and_their_replacement_is_not():
    inner = (
        '<switch><foreignObject y="9"><div xmlns="http://www.w3.org/1999/xhtml"><p>流程</p><p>开始</p></div>'
        "</foreignObject><text>replaced</text></switch>"
    )
    assert words(inner) == ["流程 开始"]


@pytest.mark.parametrize("look", ['display="none"', 'style="visibility:hidden"', 'opacity="0"'])
def test_what_nobody_sees_is_marked(look):
    assert words(f'<g {look}><text y="9">secret</text></g><text y="90">seen</text>') == ["[hidden text] secret", "seen"]


# --- the picture ------------------------------------------------------------------------------------------------------


def test_shapes_and_chinese_words_are_both_drawn():
    ground = '<rect x="0" y="0" width="400" height="200" fill="#0000ff"/>'
    blank = pixels(read(svg(ground)))
    drawn = pixels(read(svg(f'{ground}<text x="20" y="120" font-size="90" fill="#ff0000">矢量</text>')))
    assert blank.getpixel((600, 300)) == (0, 0, 255)
    assert drawn.size == blank.size == (1200, 600)
    assert count(drawn, is_red) > 5_000  # the strokes of two characters


def test_words_take_their_colour_from_the_style_sheet():
    inner = '<style>.a, .b {fill:#00ff00}</style><text class="a" x="20" y="150" font-size="150">文</text>'
    drawn = pixels(read(svg(inner)))
    assert count(drawn, lambda red, green, _blue: green > 200 and red < 80) > 2_000


@pytest.mark.parametrize(
    "attributes",
    [
        'width="200pt" height="100pt"',
        'width="10cm" height="5cm"',
        'viewBox="0,0,200,100"',
        'width="100%" height="100%"',
    ],
)
def test_drawings_of_every_measure_have_a_picture(attributes):
    result = read(svg('<rect width="50" height="50" fill="red"/>', attributes))
    assert (result.status, len(result.images)) == (Status.OK, 1)


def test_a_drawing_without_its_namespace_or_with_entities_is_read():
    bare = b'<svg width="100" height="50"><text y="20">bare</text></svg>'
    entities = (
        b'<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;" width="90" height="90">'
        b'<text y="20">named</text></svg>'
    )
    for data, word in ((bare, "bare"), (b'<?xml version="1.0"?>' + entities, "named")):
        result = read(data)
        assert (word in (result.text or ""), len(result.images)) == (True, 1)


def test_a_packed_drawing_is_read():
    result = read(gzip.compress(svg('<text y="20">packed</text>')), "drawing.svgz")
    assert "packed" in (result.text or "")
    assert len(result.images) == 1


# --- what is built to hurt --------------------------------------------------------------------------------------------


def test_nothing_outside_the_drawing_is_fetched(tmp_path):
    secret = tmp_path / "secret.png"
    Image.new("RGB", (50, 50), "red").save(secret)
    inner = (
        f'<image xlink:href="file://{secret}" width="400" height="200"/>'
        f'<image href="{secret}" width="400" height="200"/>'
        '<image xlink:href="http://127.0.0.1:9/x.png" width="10" height="10"/><use href="http://127.0.0.1:9/a.svg#b"/>'
        '<rect width="10" height="10" fill="blue"/>'
    )
    drawn = pixels(read(svg(inner)))
    assert count(drawn, is_red) == 0


def test_pictures_inside_a_drawing_are_drawn_unless_they_are_bombs():
    buffer = io.BytesIO()
    Image.new("RGB", (50, 50), "red").save(buffer, "PNG")
    source = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    drawn = pixels(read(svg(f'<image href="{source}" width="200" height="200"/>')))
    assert drawn.getpixel((300, 300)) == (255, 0, 0)
    huge = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(huge, "PNG")
    bomb = f"data:image/png;base64,{base64.b64encode(huge.getvalue()).decode()}"
    begun = time.perf_counter()
    result = read(svg(f'<image href="{bomb}" width="200" height="200"/><text y="9">x</text>'))
    assert time.perf_counter() - begun < 3
    assert "x" in (result.text or "")


@pytest.mark.parametrize(
    "inner",
    [
        "<g>" * 1_500 + "<text y='9'>bomb</text>",
        "<text y='9'>bomb</text><use id='u' href='#u'/>",
        "<g id='a0'/>"
        + "".join(f"<g id='a{n}'><use href='#a{n - 1}'/></g>" for n in range(1, 3_000))
        + "<use href='#a2999'/><text y='9'>bomb</text>",
        "<text y='9' x='1e999' transform='matrix(1e308 1e308 1e308 1e308 1 1)'>bomb</text>",
        "<text y='9'>bomb</text>" + "<path d='M0 0L1 1'/>" * 20_000,
    ],
    ids=["deep", "itself", "chain", "infinite", "many"],
)
def test_hostile_drawings_give_their_words_in_little_time(inner):
    begun = time.perf_counter()
    result = read(svg(inner))
    assert time.perf_counter() - begun < 5
    assert "bomb" in (result.text or "")


def test_a_drawing_that_multiplies_without_end_is_not_drawn():
    groups = "".join("<g id='a{}'>{}</g>".format(n, f"<use href='#a{n - 1}'/>" * 10) for n in range(1, 9))
    result = read(
        svg(f"<defs><g id='a0'><rect width='1' height='1'/></g>{groups}</defs><use href='#a8'/><text y='9'>x</text>")
    )
    assert (result.text, result.images, result.status) == ("x", (), Status.PARTIAL)


def test_entities_that_multiply_are_refused():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    data = f'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY l0 "ha">{laughs}]><svg {XMLNS}><text y="9">&l9;</text></svg>'
    begun = time.perf_counter()
    result = read(data.encode())
    assert time.perf_counter() - begun < 3
    assert result.status is not Status.FAILED


async def test_a_confined_reader_draws_chinese_words_without_opening_a_font():
    inner = '<rect width="100" height="100" fill="blue"/><text x="150" y="120" font-size="90" fill="red">矢量</text>'
    async with SandboxedAttachmentExtractor() as extractor:
        result = await extractor.extract(svg(inner), file_metadata={"name": "a.svg"})
    assert "矢量" in (result.text or "")
    drawn = pixels(result)
    assert drawn.getpixel((150, 150)) == (0, 0, 255)
    assert count(drawn, is_red) > 5_000


def test_drawing_of_which_nothing_can_be_recovered_is_rejected() -> None:
    content = read(b'\0\0\0\x80 xmlns="http://www.w3.org/2000/svg"><text>a</text></svg>')

    assert (content.status, content.note) == (Status.REJECTED, "the drawing is broken or cut off")


def test_drawing_that_misstates_its_height_is_not_drawn_larger_for_it() -> None:
    content = read(f'<svg {XMLNS} width="1" height="x100"><rect width="1" height="9" fill="red"/></svg>'.encode())

    assert [max(image.width or 0, image.height or 0) for image in content.images] == [1200]
