"""The limits of one extraction. Units are in the names."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractLimits:
    """Bounds on what one file may cost and yield; pass it to the extractor to override the defaults.

    The picture bounds pass every endpoint we know: long side 1,568 px for pages, 3.5 MB a picture (base64 stays
    under 5 MB), at least 32 px a side, at most 50:1 (facts gathered in 2026-11, see docs/decisions).
    """

    image_max_pixels: int = 16_000_000
    image_max_bytes: int = 5 * MIB
    inline_text_max_chars: int = 40_000
    extract_text_max_chars: int = 80_000
    pdf_extract_max_pages: int = 40
    pdf_render_max_pages: int = 4
    pdf_render_zoom: float = 1.7
    pdf_render_max_pixels: int = 16_000_000
    pdf_render_max_image_bytes: int = 8 * MIB
    #: Pictures and drawings on pages that have text: half of `images_max_count`, the other half is for whole pages.
    pdf_max_figures: int = 10
    #: Ordinary decks have thousands of entries.
    office_zip_max_entries: int = 10_000
    #: Counted on bytes really inflated, not on what the directory claims.
    office_zip_max_uncompressed_bytes: int = 200 * MIB
    #: Of one document, as Markdown tables; those after them are plain lines, a row each.
    docx_max_tables: int = 20
    docx_max_table_rows: int = 200
    xlsx_max_sheets: int = 10
    xlsx_max_rows_per_sheet: int = 200
    pptx_max_slides: int = 80

    #: A picture with more pixels than this is refused before it is decoded.
    image_decode_max_pixels: int = 100_000_000
    image_max_side_px: int = 1568
    image_max_output_bytes: int = 3_500_000
    images_max_count: int = 20
    animation_max_frames: int = 4
    xlsx_max_columns: int = 200
    members_max_depth: int = 3
    members_max_count: int = 100
    member_max_bytes: int = 20 * MIB
    members_max_total_bytes: int = 100 * MIB
    table_cell_max_chars: int = 2_000
    pdf_max_drawings_for_tables: int = 1_000
    #: Held by the sandbox: a reader that is stuck inside a page cannot look at a clock.
    pdf_page_timeout_s: float = 5.0
    #: Of one file; recognising a page takes 3 to 9 s.
    ocr_max_images: int = 10
    ocr_image_timeout_s: float = 20.0
    #: For all images of one file together, after its reading.
    ocr_timeout_s: float = 60.0
    warnings_max_count: int = 50
