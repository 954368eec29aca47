"""Duwen (读文): reads the files people drop into a Feishu chat and answers about them."""

__version__ = "0.1.0"
