"""The demo's sample files, made on the spot: what a Chinese office drops into a chat."""

from __future__ import annotations

import datetime
import io
from dataclasses import dataclass

import docx
import openpyxl
import pptx
import pymupdf
from pptx.util import Inches


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A file's name and its bytes."""

    name: str
    data: bytes

    @property
    def is_image(self) -> bool:
        """True where Feishu would send it as a picture in the post, not as a file."""
        return self.name.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp"))


def make_samples() -> list[Sample]:
    """A PDF with a table and a picture, a docx, an xlsx, a pptx, a PNG and a GBK csv."""
    picture = chart_png()
    return [
        Sample(name="季度经营报告.pdf", data=report_pdf(picture)),
        Sample(name="采购合同.docx", data=contract_docx()),
        Sample(name="销售明细.xlsx", data=sales_xlsx()),
        Sample(name="产品发布会.pptx", data=launch_pptx()),
        Sample(name="门店客流.png", data=picture),
        Sample(name="员工名册.csv", data=staff_csv()),
    ]


def chart_png() -> bytes:
    """A bar chart, 640 x 400 px."""
    document = pymupdf.open()
    page = document.new_page(width=640, height=400)
    page.insert_text((40, 40), "门店客流（万人次）", fontname="china-s", fontsize=22)
    for index, value in enumerate((12.5, 18.2, 9.7, 21.4)):
        left = 60 + index * 140
        page.draw_rect(pymupdf.Rect(left, 350 - value * 12, left + 80, 350), fill=(0.2, 0.45, 0.8), color=None)
        page.insert_text((left, 380), f"Q{index + 1} {value}", fontsize=16)
    return bytes(page.get_pixmap(alpha=False).tobytes("png"))


def report_pdf(picture: bytes) -> bytes:
    """Two pages: a ruled table, then a picture."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "2026 年第三季度经营报告", fontname="china-s", fontsize=20)
    page.insert_text((72, 115), "本季度营业收入 4,286 万元，同比增长 12.5%。", fontname="china-s", fontsize=12)
    rows = [
        ("区域", "收入（万元）", "同比"),
        ("华东", "1,302", "8.1%"),
        ("华南", "1,178", "15.4%"),
        ("西部", "1,806", "14.2%"),
    ]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            box = pymupdf.Rect(72 + column * 140, 150 + row * 28, 212 + column * 140, 178 + row * 28)
            page.draw_rect(box, color=(0, 0, 0), width=0.8)
            page.insert_text((box.x0 + 8, box.y1 - 9), cell, fontname="china-s", fontsize=12)
    page = document.new_page()
    page.insert_text((72, 80), "附图：各季度门店客流", fontname="china-s", fontsize=14)
    page.insert_image(pymupdf.Rect(72, 100, 520, 380), stream=picture)
    return bytes(document.tobytes(deflate=True, garbage=3))


def contract_docx() -> bytes:
    """Headings, a list, and a table with a merged cell."""
    document = docx.Document()
    document.add_heading("办公设备采购合同", level=1)
    document.add_paragraph("甲方向乙方采购下列设备，合同总价人民币 186,400 元，交货期为签约后 30 日。")
    document.add_paragraph("付款分两期，首期 30%。", style="List Number")
    document.add_paragraph("质保期三年，自验收合格之日起算。", style="List Number")
    table = document.add_table(rows=3, cols=3, style="Table Grid")
    for row, cells in enumerate((("设备", "数量", "单价"), ("笔记本电脑", "20", "7,820"))):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    table.cell(2, 0).merge(table.cell(2, 1)).text = "合计"
    table.cell(2, 2).text = "186,400"
    return _saved(document)


def sales_xlsx() -> bytes:
    """Dates, a percentage, a currency, and a hidden sheet."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "九月明细"
    sheet.append(["日期", "产品", "数量", "单价", "折扣"])
    for day, product, count, price, discount in (
        (3, "钢笔", 120, 35.5, 0.125),
        (17, "笔记本", 300, 12, 0.05),
        (28, "订书机", 45, 28.8, 0),
    ):
        sheet.append([datetime.date(2026, 9, day), product, count, price, discount])
    for row in range(2, 5):
        sheet.cell(row, 1).number_format = "yyyy-mm-dd"
        sheet.cell(row, 4).number_format = '"¥"#,##0.00'
        sheet.cell(row, 5).number_format = "0.0%"
    hidden = book.create_sheet("成本")
    hidden.append(["钢笔成本", 18.2])
    hidden.sheet_state = "hidden"
    return _saved(book)


def launch_pptx() -> bytes:
    """Two slides with speaker notes and a table."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "新品发布会：读文 1.0"
    slide.placeholders[1].text_frame.text = "把文件拖进群聊，直接提问"
    slide.notes_slide.notes_text_frame.text = "开场先演示合同问答。"
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "上市计划"
    table = slide.shapes.add_table(2, 3, Inches(1), Inches(2), Inches(8), Inches(1.5)).table
    for row, cells in enumerate((("阶段", "时间", "负责人"), ("公测", "2026 年 12 月", "王小明"))):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    return _saved(deck)


def staff_csv() -> bytes:
    """As Chinese Excel saves it: GBK, CRLF."""
    return '姓名,部门,月薪\r\n王小明,市场部,"9,800"\r\n李晓红,财务部,"11,200"\r\n'.encode("gb18030")


def _saved(document: docx.document.Document | openpyxl.Workbook | pptx.presentation.Presentation) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()
