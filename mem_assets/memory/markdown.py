"""Markdown in pieces: blocks that belong together, packed under their headings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import re2

from mem_assets.memory.redaction import find_secrets

PIECE_SIZE = 1200
"""Characters. About 250 tokens: what the default embedder reads before it cuts (256)."""

PARTS = frozenset(
    {
        "action", "actions", "background", "cause", "causes", "consequence", "consequences",
        "context", "decision", "detection", "diagnosis", "fix", "fixes", "impact", "lesson",
        "lessons learned", "mitigation", "prevention", "problem", "reason", "reasons",
        "remediation", "resolution", "root cause", "solution", "summary", "symptom", "symptoms",
        "timeline", "trigger", "what broke", "what happened", "what helped", "what we did",
        "why", "workaround",
    }
)  # fmt: skip
"""Headings that name a part of one lesson: a cause cut from its fix teaches nothing."""

MAX_TITLE = 200
"""Characters of a heading in the path of a piece. The line itself stands in the piece, whole."""

_CUTS = 32
"""Places that are tried for one cut."""

_HEADING = re2.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re2.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re2.compile(r"^ {0,3}(`{3,}|~{3,})")
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])[ \t]")
_SENTENCE_END = re2.compile(r"[.!?][\"')\]]*\s")


@dataclass(frozen=True)
class Block:
    """Lines that belong together. `level` 1..6 for a heading, 0 for content, -1 for blank."""

    start: int
    lines: tuple[str, ...]
    level: int = 0
    title: str = ""

    @property
    def size(self) -> int:
        return sum(map(len, self.lines)) + len(self.lines)


@dataclass(frozen=True)
class Piece:
    """Text with the 0-based lines it comes from, inclusive, and its heading path."""

    text: str
    first: int
    last: int
    heading: str


def _is_part(block: Block, parts: frozenset[str]) -> bool:
    return block.title.strip(":").casefold() in parts


def has_topics(lines: Sequence[str]) -> bool:
    levels = [one.level for one in _blocks(lines) if one.level > 0 and not _is_part(one, PARTS)]
    return len(levels) > len(set(levels))


def split_pieces(lines: Sequence[str], parts: frozenset[str] = frozenset()) -> list[Piece]:
    """Pack blocks; a heading begins a piece unless its title is one of `parts`."""
    path: list[tuple[int, str]] = []
    pieces: list[Piece] = []
    held: list[Block] = []
    size = 0
    heading: str | None = None  # of the piece in hand, known with its first content
    for block in _fitting(_blocks(lines)):
        begins = block.level > 0 and not _is_part(block, parts)
        overflows = block.level >= 0 and size + block.size > PIECE_SIZE
        if heading is not None and (begins or overflows):
            kept = _content_end(held)
            pieces.append(_piece(held[:kept], heading))
            # A heading belongs to what follows it.
            held, heading = held[kept:], None
            size = sum(other.size for other in held)
        if (
            block.level >= 0
            and size + block.size > PIECE_SIZE
            and any(other.level > 0 for other in held)
        ):
            pieces.append(_piece(held, ""))  # Headings alone, one after another.
            held, size = [], 0
        if begins:
            path = [(level, title) for level, title in path if level < block.level]
            path.append((block.level, block.title[:MAX_TITLE]))
        if block.level == 0 and heading is None:
            heading = " > ".join(title for _, title in path if title)
        held.append(block)
        size += block.size
    if any(block.level >= 0 for block in held):
        pieces.append(_piece(held, heading or ""))
    return pieces


def _content_end(blocks: Sequence[Block]) -> int:
    """One past the last block of content."""
    return max(index for index, block in enumerate(blocks) if block.level == 0) + 1


def _piece(blocks: list[Block], heading: str) -> Piece:
    filled = [block for block in blocks if block.level >= 0]
    lines = [line for block in blocks for line in block.lines]
    last = filled[-1]
    return Piece("\n".join(lines), filled[0].start, last.start + len(last.lines) - 1, heading)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    index = 0
    comments_end = max((n for n, line in enumerate(lines) if "-->" in line), default=-1)
    while index < len(lines):
        block = _block_at(lines, index, comments_end)
        yield block
        index += len(block.lines)


def _block_at(lines: Sequence[str], index: int, comments_end: int) -> Block:
    """The block that begins at this line: blank, comment, heading, fence, or a paragraph.

    `comments_end` is the last line with the end of a comment.
    """
    line = lines[index]
    if not line.strip():
        return Block(index, (line,), -1)
    if line.lstrip().startswith("<!--") and index <= comments_end:
        end = next(n for n in range(index, comments_end + 1) if "-->" in lines[n])
        return Block(index, tuple(lines[index : end + 1]))
    if (match := _HEADING.match(line)) and len(line) <= PIECE_SIZE:
        return Block(index, (line,), len(match.group(1)), (match.group(2) or "").strip())
    if match := _FENCE.match(line):
        return Block(index, tuple(lines[index : _fence_end(lines, index, match.group(1))]))
    if index + 1 < len(lines) and not _LIST_ITEM.match(line):
        underline = _UNDERLINE.match(lines[index + 1])
        if underline and len(line) <= PIECE_SIZE:
            level = 1 if "=" in underline.group(1) else 2
            return Block(index, tuple(lines[index : index + 2]), level, line.strip())
    end = index + 1
    while end < len(lines) and lines[end].strip():
        opens_comment = end <= comments_end and lines[end].lstrip().startswith("<!--")
        if _HEADING.match(lines[end]) or _FENCE.match(lines[end]) or opens_comment:
            break
        end += 1
    return Block(index, tuple(lines[index:end]))


def _fence_end(lines: Sequence[str], index: int, mark: str) -> int:
    """One past the closing fence; one past the last line where nothing closes it."""
    for end in range(index + 1, len(lines)):
        stripped = lines[end].strip()
        if stripped and not stripped.strip(mark[0]) and len(stripped) >= len(mark):
            return end + 1
    return len(lines)


def _fitting(blocks: Iterator[Block]) -> Iterator[Block]:
    """Blocks within PIECE_SIZE: a longer one by list items, else lines, else sentences."""
    for whole in blocks:
        for block in _items(whole) if whole.level == 0 and whole.size > PIECE_SIZE else [whole]:
            if block.level != 0 or block.size <= PIECE_SIZE:
                yield block
                continue
            for offset, line in enumerate(block.lines):
                for part in _cut(line):
                    yield Block(block.start + offset, (part,))


def _items(block: Block) -> Iterator[Block]:
    """A list's items, each with what is indented below it; any other block as it is."""
    if not _LIST_ITEM.match(block.lines[0]):
        yield block
        return
    outer = _indent(block.lines[0])
    begins = [
        offset
        for offset, line in enumerate(block.lines)
        if _LIST_ITEM.match(line) and _indent(line) <= outer
    ]
    for start, end in pairwise([*begins, len(block.lines)]):
        yield Block(block.start + start, block.lines[start:end])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _cut(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > PIECE_SIZE:
        window = line[start : start + PIECE_SIZE]
        rest = line[start : start + 2 * PIECE_SIZE]
        ends = list(islice(_ends(window), _CUTS))
        end = next((end for end in ends if not _lays_bare(rest, end)), ends[0])
        yield line[start : start + end]
        start += end
    yield line[start:]


def _ends(window: str) -> Iterator[int]:
    """Where a line may be cut, the best place first: behind a sentence, a word, a character."""
    yield from reversed([match.end() for match in _SENTENCE_END.finditer(window)])
    yield from reversed([at + 1 for at, character in enumerate(window) if character == " "])
    yield from range(len(window), 0, -1)


def _lays_bare(line: str, end: int) -> bool:
    """Whether a cut gives what was part of a word or a sentence the looks of a secret."""
    return bool(find_secrets(line[:end]) or find_secrets(line[end:]))
