"""SVG drawings: their words in reading order, and a picture of them. Nothing they point to is ever fetched."""
