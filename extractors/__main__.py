"""`python -m extractors FILE...`: what the extractor makes of files, as Markdown or JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from extractors.command import add_arguments, run


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads the files that the command line names, and says how it went."""
    parser = argparse.ArgumentParser(prog="python -m extractors", description="Reads files as text and images.")
    add_arguments(parser)
    return run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
