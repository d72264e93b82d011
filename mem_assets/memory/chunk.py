"""Splitting notes and reference documents into candidates the size of a memory.

The lines of a document become blocks (a paragraph, a list, a whole code fence), blocks are
packed into pieces. A piece ends where the next heading stands and where it would pass
PIECE_SIZE. Every line of the document, its headings too, stands in exactly one piece, so
that nothing is lost and `covered` can prove it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import re2

from mem_assets.memory.model import Candidate, clean_text
from mem_assets.memory.notes import DEFAULT_KIND, Note, NoteError, front_matter, normalise

PIECE_SIZE = 1200
"""Characters. About 250 tokens: what the default embedder reads before it cuts (256)."""

REFERENCE_KIND = "reference"
REFERENCE_LEVEL = "R"

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

_HEADING = re2.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re2.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re2.compile(r"^ {0,3}(`{3,}|~{3,})")
_LIST_ITEM = re2.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])[ \t]")
_SENTENCE_END = re2.compile(r"[.!?][\"')\]]*\s")


@dataclass(frozen=True)
class _Block:
    """Lines that belong together. `level` 1..6 for a heading, 0 for content, -1 for blank."""

    start: int
    lines: tuple[str, ...]
    level: int = 0
    title: str = ""

    @property
    def size(self) -> int:
        return sum(map(len, self.lines)) + len(self.lines)


@dataclass(frozen=True)
class _Piece:
    """Text with the 0-based lines it comes from, inclusive, and its heading path."""

    text: str
    first: int
    last: int
    heading: str


def chunk_note(note: Note) -> list[Candidate]:
    """The candidates of one note, in the order of its lines; never empty.

    A note within PIECE_SIZE is one candidate with all its evidence, unless it has two headings
    of one level that name topics (and not PARTS of one). Any other is split by heading, then
    by paragraph. A reference whose name is written in the text of a piece goes
    to the pieces that write it; one that is written nowhere goes to all.
    """
    lines = note.text.split("\n")
    if len(clean_text(note.text)) <= PIECE_SIZE and not _has_topics(lines):
        filled = [index for index, line in enumerate(lines) if line.strip()] or [0]
        pieces = [_Piece(note.text, filled[0], filled[-1], "")]
    else:
        pieces = _pieces(lines, PARTS)
    texts = [clean_text(piece.text) for piece in pieces]
    evidence = _share(note.evidence, texts)
    return [
        Candidate(
            date=note.date,
            level=note.level,
            kind=note.kind or DEFAULT_KIND,
            text=text,
            source=note.source,
            evidence=cited,
            path=note.path,
            line_start=note.line_start + (0 if note.is_record else piece.first),
            line_end=note.line_start + (0 if note.is_record else piece.last),
            chunk=number,
            heading=piece.heading,
        )
        for number, (piece, text, cited) in enumerate(zip(pieces, texts, evidence, strict=True))
    ]


def parse_reference(date: str, path: str, text: str) -> list[Candidate]:
    """A Markdown document as candidates of level R, by heading and within PIECE_SIZE.

    `text` must be redacted already. `heading` is the path to the piece ("Cache > Eviction").
    Front matter is left out; only its `source` is taken. A document without text gives an
    empty list. Never raises.
    """
    lines = normalise(text).split("\n")
    try:
        fields, start = front_matter(lines)
    except NoteError:
        fields, start = {}, 0
    source = fields.get("source")
    return [
        Candidate(
            date=date,
            level=REFERENCE_LEVEL,
            kind=REFERENCE_KIND,
            text=clean_text(piece.text),
            source=" ".join(source.split()) if isinstance(source, str) else "",
            evidence=(),
            path=path,
            line_start=start + piece.first + 1,
            line_end=start + piece.last + 1,
            chunk=number,
            heading=piece.heading,
        )
        for number, piece in enumerate(_pieces(lines[start:]))
    ]


def covered(notes: Sequence[Note], candidates: Sequence[Candidate]) -> list[str]:
    """Whether the candidates hold their notes: each line with content in exactly one piece.

    Compares without white space, so that a line too long for one piece may be split in two.
    Returns problems as sentences, sorted; empty where all is covered.
    """
    pieces: dict[tuple[str, int], list[Candidate]] = {}
    line_of = {note.path: note.line_start for note in notes if not note.is_record}
    for candidate in candidates:
        line = line_of.get(candidate.path, candidate.line_start)
        pieces.setdefault((candidate.path, line), []).append(candidate)
    problems: list[str] = []
    for note in notes:
        own = pieces.pop((note.path, note.line_start), [])
        problems += _compare(note, sorted(own, key=lambda piece: piece.chunk))
    problems += [f"{path}:{line}: a candidate has no note" for path, line in pieces]
    return sorted(problems)


def _compare(note: Note, pieces: Sequence[Candidate]) -> Iterator[str]:
    held = "".join(_squash(piece.text) for piece in pieces)
    at = 0
    for offset, line in enumerate(note.text.split("\n")):
        wanted = _squash(line)
        if held.startswith(wanted, at):
            at += len(wanted)
            continue
        number = note.line_start + (0 if note.is_record else offset)
        found = held.find(wanted, at)
        if found < 0:
            yield f"{note.path}:{number}: the line stands in no candidate"
        else:
            yield f"{note.path}:{number}: the candidates hold other text before this line"
            at = found + len(wanted)
    if at < len(held):
        yield f"{note.path}:{note.line_start}: the candidates hold text beyond the note's"


def _squash(text: str) -> str:
    return "".join(text.split())


def _share(evidence: Sequence[str], texts: Sequence[str]) -> list[tuple[str, ...]]:
    if len(texts) == 1:
        return [tuple(evidence)]
    shares: list[list[str]] = [[] for _ in texts]
    for reference in evidence:
        mentioned = [
            share for share, text in zip(shares, texts, strict=True) if mentions(text, reference)
        ]
        for share in mentioned or shares:
            share.append(reference)
    return [tuple(share) for share in shares]


def mentions(text: str, reference: str) -> bool:
    """Whether the text writes a reference: in full, by its file name, or 12 hex digits of it."""
    name = reference.rstrip("/").rsplit("/", 1)[-1]
    names = {reference, name, name.removesuffix(".gz").removesuffix(".zst")}
    if re2.fullmatch(r"[0-9a-f]{12,64}", reference):
        names.add(reference[:12])
        return any(name in text for name in names)
    return any(_stands_alone(text, name) for name in names if len(name) >= 3)


def _stands_alone(text: str, name: str) -> bool:
    """`a.log` stands in "see a.log." and not in "data.log" or "a.log.gz"."""
    pattern = rf"(?:^|[^\w.\-]){re2.escape(name)}(?:$|[^\w.\-]|[.\-](?:$|\W))"
    return re2.search(pattern, text) is not None


def _is_part(block: _Block, parts: frozenset[str]) -> bool:
    return block.title.strip(":").casefold() in parts


def _has_topics(lines: Sequence[str]) -> bool:
    levels = [one.level for one in _blocks(lines) if one.level > 0 and not _is_part(one, PARTS)]
    return len(levels) > len(set(levels))


def _pieces(lines: Sequence[str], parts: frozenset[str] = frozenset()) -> list[_Piece]:
    """Pack blocks; a heading begins a piece unless its title is one of `parts`."""
    path: list[tuple[int, str]] = []
    pieces: list[_Piece] = []
    held: list[_Block] = []
    size = 0
    heading: str | None = None  # of the piece in hand, known with its first content
    for block in _fitting(_blocks(lines)):
        begins = block.level > 0 and not _is_part(block, parts)
        overflows = block.level == 0 and size + block.size > PIECE_SIZE
        if heading is not None and (begins or overflows):
            kept = _content_end(held)
            pieces.append(_piece(held[:kept], heading))
            # A heading belongs to what follows it.
            held, heading = held[kept:], None
            size = sum(other.size for other in held)
        if begins:
            path = [(level, title) for level, title in path if level < block.level]
            path.append((block.level, block.title))
        if block.level == 0 and heading is None:
            heading = " > ".join(title for _, title in path if title)
        held.append(block)
        size += block.size
    if any(block.level >= 0 for block in held):
        pieces.append(_piece(held, heading or ""))
    return pieces


def _content_end(blocks: Sequence[_Block]) -> int:
    """One past the last block of content."""
    return max(index for index, block in enumerate(blocks) if block.level == 0) + 1


def _piece(blocks: list[_Block], heading: str) -> _Piece:
    filled = [block for block in blocks if block.level >= 0]
    lines = [line for block in blocks for line in block.lines]
    last = filled[-1]
    return _Piece("\n".join(lines), filled[0].start, last.start + len(last.lines) - 1, heading)


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    index = 0
    while index < len(lines):
        block = _block_at(lines, index)
        yield block
        index += len(block.lines)


def _block_at(lines: Sequence[str], index: int) -> _Block:
    """The block that begins at this line: blank, heading, fence, or a paragraph."""
    line = lines[index]
    if not line.strip():
        return _Block(index, (line,), -1)
    if match := _HEADING.match(line):
        return _Block(index, (line,), len(match.group(1)), (match.group(2) or "").strip())
    if match := _FENCE.match(line):
        return _Block(index, tuple(lines[index : _fence_end(lines, index, match.group(1))]))
    if index + 1 < len(lines) and not _LIST_ITEM.match(line):
        underline = _UNDERLINE.match(lines[index + 1])
        if underline:
            level = 1 if "=" in underline.group(1) else 2
            return _Block(index, tuple(lines[index : index + 2]), level, line.strip())
    end = index + 1
    while end < len(lines) and lines[end].strip():
        if _HEADING.match(lines[end]) or _FENCE.match(lines[end]):
            break
        end += 1
    return _Block(index, tuple(lines[index:end]))


def _fence_end(lines: Sequence[str], index: int, mark: str) -> int:
    """One past the closing fence; one past the last line where nothing closes it."""
    for end in range(index + 1, len(lines)):
        stripped = lines[end].strip()
        if stripped and not stripped.strip(mark[0]) and len(stripped) >= len(mark):
            return end + 1
    return len(lines)


def _fitting(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Blocks within PIECE_SIZE: a longer one by lines, a longer line by sentences."""
    for block in blocks:
        if block.level != 0 or block.size <= PIECE_SIZE:
            yield block
            continue
        for offset, line in enumerate(block.lines):
            for part in _cut(line):
                yield _Block(block.start + offset, (part,))


def _cut(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > PIECE_SIZE:
        window = line[start : start + PIECE_SIZE]
        ends = [match.end() for match in _SENTENCE_END.finditer(window)]
        end = ends[-1] if ends else window.rfind(" ") + 1 or PIECE_SIZE
        yield line[start : start + end]
        start += end
    yield line[start:]
