"""Splitting notes and reference documents into candidates the size of a memory.

The lines of a document become blocks (a paragraph, a list, a whole code fence), blocks are
packed into pieces. A piece ends where the next heading stands and where it would pass
PIECE_SIZE. Every line of the document, its headings too, stands in exactly one piece, so
that nothing is lost and `covered` can prove it.
"""

from collections.abc import Iterator, Sequence

import re2

from mem_assets.memory.cleaning import clean, clean_line, normalise
from mem_assets.memory.front_matter import NoteError, front_matter
from mem_assets.memory.markdown import PARTS, PIECE_SIZE, Piece, has_topics, split_pieces
from mem_assets.memory.model import Candidate, clean_text
from mem_assets.memory.notes import DEFAULT_KIND, Note
from mem_assets.memory.references import named_in

REFERENCE_KIND = "reference"
REFERENCE_LEVEL = "R"


def chunk_note(note: Note) -> list[Candidate]:
    """The candidates of one note, in the order of its lines; never empty.

    A note within PIECE_SIZE is one candidate with all its evidence, unless it has two headings
    of one level that name topics (and not PARTS of one). Any other is split by heading, then
    by paragraph. A reference whose name is written in the text of a piece goes
    to the pieces that write it; one that is written nowhere goes to all. Where the note's fields
    name nothing, each piece stands on what its own text refers to.
    """
    lines = note.text.split("\n")
    if len(clean_text(note.text)) <= PIECE_SIZE and not has_topics(lines):
        filled = [index for index, line in enumerate(lines) if line.strip()] or [0]
        pieces = [Piece(note.text, filled[0], filled[-1], "")]
    else:
        pieces = split_pieces(lines, PARTS)
    texts = [clean_text(piece.text) for piece in pieces]
    if note.evidence or note.source:
        grounds = [(cited, "") for cited in _share(note.evidence, texts)]
    else:
        grounds = [named_in(text) for text in texts]
    return [
        Candidate(
            date=note.date,
            level=note.level,
            kind=note.kind or DEFAULT_KIND,
            text=text,
            source=note.source or source,
            evidence=cited,
            path=note.path,
            line_start=note.line_start + (0 if note.is_record else piece.first),
            line_end=note.line_start + (0 if note.is_record else piece.last),
            chunk=number,
            heading=clean_line(piece.heading),
        )
        for number, (piece, text, (cited, source)) in enumerate(
            zip(pieces, texts, grounds, strict=True)
        )
    ]


def parse_reference(date: str, path: str, text: str) -> list[Candidate]:
    """A Markdown document as candidates of level R, by heading and within PIECE_SIZE.

    No field holds a known secret. `heading` is the path to the piece ("Cache > Eviction"). Front
    matter is left out; only its `source` is taken. A document without text gives an empty list.
    Never raises.
    """
    lines = normalise(text).split("\n")
    try:
        fields, start = front_matter(lines)
    except NoteError:
        fields, start = {}, 0
    source = fields.get("source")
    body = clean("\n".join(lines[start:])).split("\n")
    return [
        Candidate(
            date=date,
            level=REFERENCE_LEVEL,
            kind=REFERENCE_KIND,
            text=clean_text(piece.text),
            source=clean_line(" ".join(source.split())) if isinstance(source, str) else "",
            evidence=(),
            path=path,
            line_start=start + piece.first + 1,
            line_end=start + piece.last + 1,
            chunk=number,
            heading=clean_line(piece.heading),
        )
        for number, piece in enumerate(split_pieces(body))
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
