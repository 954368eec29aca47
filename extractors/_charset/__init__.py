"""Bytes to text in whatever encoding they are, Chinese first."""

from extractors._charset.decoding import Decoded, decode
from extractors._charset.everyday import CANDIDATES, everyday_share
from extractors._charset.unmarked import KOREAN_SWITCH, wide_without_mark

__all__ = ["CANDIDATES", "KOREAN_SWITCH", "Decoded", "decode", "everyday_share", "wide_without_mark"]
