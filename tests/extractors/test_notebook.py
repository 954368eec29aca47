"""Jupyter notebooks: prose, code, and everything that the cells gave out."""

from __future__ import annotations

import base64
import io
import json

import pytest
from PIL import Image

from extractors import ExtractedContent, Kind, Status, extract_content


def png() -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(buffer, "PNG")
    return base64.encodebytes(buffer.getvalue()).decode()


def code(*outputs: object, source: str = "run()") -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def shown(**forms: object) -> dict[str, object]:
    return {"output_type": "display_data", "data": {name.replace("_", "/"): form for name, form in forms.items()}}


def read(*cells: object, encoding: str = "utf-8") -> ExtractedContent:
    notebook = json.dumps({"nbformat": 4, "cells": list(cells)}, ensure_ascii=False)
    return extract_content(notebook.encode(encoding), media_type="", name="a.ipynb")


@pytest.mark.parametrize(
    ("metadata", "fence"),
    [
        ({"language_info": {"name": "python"}}, "```python"),
        ({"kernelspec": {"language": "R"}, "language_info": {"name": 5}}, "```R"),
        ({"language_info": {"name": "x\ny"}}, "```"),
        ("none", "```"),
    ],
)
def test_code_is_marked_with_its_language(metadata: object, fence: str) -> None:
    notebook = json.dumps({"metadata": metadata, "cells": [code(source="x")]})
    content = extract_content(notebook.encode(), media_type="", name="a.ipynb")
    assert content.text == f"{fence}\nx\n```"


def output(*outputs: object) -> str:
    return (read(code(*outputs)).text or "").removeprefix("```\nrun()\n```").removeprefix("\n\nOutput:\n\n")


def test_cells_come_in_their_order() -> None:
    content = read(
        {"cell_type": "markdown", "source": ["# 标题\n", "正文"]},
        code(source="print(1)"),
        {"cell_type": "raw", "source": "r"},
    )
    assert content.text == "# 标题\n正文\n\n```\nprint(1)\n```\n\nr"
    assert (content.kind, content.status) == (Kind.TEXT, Status.OK)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_before_the_notebook_does_no_harm(encoding: str) -> None:
    assert read(code(source="x"), encoding=encoding).text == "```\nx\n```"


def test_what_was_drawn_is_shown_instead_of_its_name() -> None:
    content = read(code(shown(image_png=png(), text_plain="<Figure size 640x480 with 1 Axes>")))
    assert content.text == "```\nrun()\n```\n\nOutput:\n\n[image: image 1]"
    assert len(content.images) == 1


def test_a_picture_pasted_into_prose_is_shown_where_it_stands() -> None:
    attachments = {"moon.png": {"image/png": png()}}
    content = read(
        {"cell_type": "markdown", "source": "see ![the moon](attachment:moon.png) here", "attachments": attachments}
    )
    assert content.text == "see [image: image 1] (the moon) here"
    assert len(content.images) == 1


def test_a_table_keeps_its_columns() -> None:
    table = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    assert output(shown(text_plain="   a  b\n0  1  2", text_html=table)) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_an_object_without_words_is_read_in_another_form() -> None:
    assert output(shown(text_plain="<IPython.core.display.HTML object>", text_html="<p>says it")) == "says it"
    assert output(shown(text_plain="<IPython.core.display.Markdown object>", text_markdown="**it**")) == "**it**"
    assert output(shown(text_latex="$x^2$")) == "$x^2$"
    assert output(shown(text_plain="plain words", text_html="<b>plain words</b>")) == "```\nplain words\n```"


def test_pictures_inside_a_page_are_shown_with_it() -> None:
    page = f'<p>before <img src="data:image/png;base64,{"".join(png().split())}"></p>'
    content = read(code(shown(text_plain="<IPython.core.display.HTML object>", text_html=page)))
    assert (content.text or "").endswith("Output:\n\nbefore [image: image 1]")
    assert len(content.images) == 1


def test_an_error_is_told_without_the_colours_of_a_terminal() -> None:
    error = {"output_type": "error", "ename": "E", "evalue": "why", "traceback": ["\x1b[0;31mline 1\x1b[0m", "E: why"]}
    assert output(error) == "```\nline 1\nE: why\n```"
    assert output({"output_type": "error", "ename": "E", "evalue": "why"}) == "```\nE: why\n```"
    assert output({"output_type": "stream", "text": ["\x1b[1;36m3\x1b[0m files\n"]}) == "```\n3 files\n```"


def test_a_notebook_of_the_third_version_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Head"},
        {"cell_type": "code", "input": ["x"], "outputs": [{"output_type": "pyout", "text": "1"}, {"png": png()}]},
    ]
    data = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    content = extract_content(data, media_type="", name="a.ipynb")
    assert content.text == "## Head\n\n```\nx\n```\n\nOutput:\n\n```\n1\n```\n\nOutput:\n\n[image: image 1]"


@pytest.mark.parametrize("forms", [{"image/png": "no base64!"}, {"image/png": 5}, {"text/html": None}, {}])
def test_broken_forms_are_passed_over(forms: dict[str, object]) -> None:
    assert output({"output_type": "display_data", "data": {**forms, "text/plain": "words"}}) == "```\nwords\n```"
