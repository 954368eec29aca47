"""How a PDF is read: its pages as text, tables and pictures, and what hangs on them."""
