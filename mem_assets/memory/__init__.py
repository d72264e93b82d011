"""Memories: notes and their chunks, redaction, the gate, the memory log, and where days meet.

Pure: no dagster, no model, no database, no network.
"""
