"""What the small generation of these tests knows."""

from small_generation import Log, Note

ERESOLVE = """npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR! 
npm ERR! While resolving: shop@1.0.0
npm ERR! Found: react@18.2.0
npm ERR! Could not resolve dependency:
npm ERR! peer react@"^16.8.0" from react-beautiful@4.1.0
"""
LOG = Log(ERESOLVE, "npm", path="2026-11-20/logs/npm/shop.log")
PEER = Note("React was bumped ahead of the widget kit. [bold]Pinned[/bold] it back.", logs=(LOG,))
BODY = Note("Kong buffered the upload.", symptoms=("413 Request Entity Too Large",))
DECISION = Note("We keep retries at three.", symptoms=None)
MISS = "zephyr mandolin is purple"
