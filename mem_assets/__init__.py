"""Failure memory: find the lesson from the error."""

__version__ = "0.1.0"
