"""From a note's file to notes: Markdown with front matter, or JSONL with one note a line.

A file is never refused with an exception: what cannot be read becomes a Reject that names
the line and says what to do, and the other lines of a JSONL go on.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mem_assets.memory.cleaning import clean, clean_line, normalise
from mem_assets.memory.front_matter import NoteError, front_matter
from mem_assets.memory.model import Reject
from mem_assets.memory.redaction import redact

NOTE_LEVELS = ("L1", "L2")
"""What a note may be: L0 comes from logs/, R from reference/."""

DEFAULT_LEVEL = "L1"
DEFAULT_KIND = "note"

MAX_RECORD = 1024 * 1024
"""Characters of one JSONL line or one Markdown note; a memory is about a thousandth of it."""

MAX_FIELD = 2048
"""Characters of a level, a kind, a source or one reference."""

MAX_EVIDENCE = 200
"""References of one note."""

_JSONL_SUFFIXES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Note:
    """One note as it was given; no field holds a known secret or a lone surrogate.

    line_start  1-based line of the file on which `text` begins; with JSONL the note's line
    text        NFC, line breaks as \\n; for Markdown, line N of it is line
                `line_start + N - 1` of the file
    kind, source  on one line, NFC, without control and direction characters; source is an
                address, ticket or commit, "" where there is none
    evidence    references likewise, in their order, none twice, with the spaces inside a name
    """

    date: str
    path: str
    line_start: int
    level: str
    kind: str
    source: str
    evidence: tuple[str, ...]
    text: str

    @property
    def is_record(self) -> bool:
        """True for a JSONL note, whose text stands on one line of its file."""
        return is_jsonl(self.path)


def is_jsonl(path: str) -> bool:
    """True where the path's name says one JSON object a line, compressed or not."""
    name = path.rsplit("/", 1)[-1].lower().removesuffix(".gz").removesuffix(".zst")
    return name.endswith(_JSONL_SUFFIXES)


def parse_note(date: str, path: str, text: str) -> tuple[list[Note], list[Reject]]:
    """The notes of one file and what of it could not be taken.

    `date` is the landing's, `path` the file's under the landing. Each field is redacted once it
    is parsed: JSON and YAML escapes hide a secret in the file's text. Fields: level (L1 or L2,
    default L1), text, evidence (a reference or a list of them), source, kind (default "note");
    other keys are tolerated. Markdown without front matter is an L1 note with no source. Never
    raises.
    """
    lines = normalise(text).split("\n")
    parse = _parse_jsonl if is_jsonl(path) else _parse_markdown
    notes: list[Note] = []
    rejects: list[Reject] = []
    for result in parse(date, path, lines):
        if isinstance(result, Note):
            notes.append(result)
        else:
            detail, _ = redact(result.detail)
            rejects.append(Reject(date, path, result.line, result.reason, detail))
    return notes, rejects


def _parse_markdown(date: str, path: str, lines: list[str]) -> Iterator[Note | NoteError]:
    try:
        fields, body_start = front_matter(lines)
        body = "\n".join(lines[body_start:])
        if "text" in fields:
            if body.strip():
                raise NoteError(
                    "schema",
                    1,
                    "the note has a text in its front matter and another below it: keep one",
                )
            # The text of a field has no lines of its own in the file: the front matter's stand.
            body_start, body = 0, _string(fields["text"], "text", 1, MAX_RECORD)
        elif not body.strip():
            raise NoteError(
                "empty", 1, "the note has no text: write what broke, why, and what was done"
            )
        yield _note(date, path, body_start + 1, fields, body, 1)
    except NoteError as error:
        yield error


def _parse_jsonl(date: str, path: str, lines: list[str]) -> Iterator[Note | NoteError]:
    found = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = True
        try:
            fields = _json_object(line, number)
            if fields.get("text") is None:
                raise NoteError("schema", number, "the note has no field text: write one")
            text = _string(fields["text"], "text", number, MAX_RECORD)
            yield _note(date, path, number, fields, text, number)
        except NoteError as error:
            yield error
    if not found:
        yield NoteError("empty", 0, "the file holds no note: write one JSON object a line")


def _json_object(line: str, number: int) -> Mapping[str, Any]:
    if len(line) > MAX_RECORD:
        raise NoteError(
            "too_large", number, f"the line is longer than {MAX_RECORD} characters: split the note"
        )
    try:
        value = json.loads(line, object_pairs_hook=_unique_pairs)
    except _DuplicateKeyError as error:
        raise NoteError("json", number, f"the key {error} stands twice: keep one") from None
    except (ValueError, RecursionError) as error:
        detail = str(error).split("\n")[0][:120]
        raise NoteError(
            "json", number, f"the line is not JSON ({detail}): write one object a line"
        ) from None
    if not isinstance(value, dict):
        raise NoteError(
            "schema", number, 'the line is not an object: write {"level": …, "text": …}'
        )
    return value


class _DuplicateKeyError(ValueError):
    """A key that stands twice in one object."""


def _unique_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        if key in fields:
            raise _DuplicateKeyError(repr(clean_line(key)[:60]))
        fields[key] = value
    return fields


def _note(
    date: str, path: str, line: int, fields: Mapping[str, Any], text: str, place: int
) -> Note:
    """`line` is where the text begins, `place` the line that a faulty field is reported at."""
    if len(text) > MAX_RECORD:
        raise NoteError(
            "too_large", place, f"the note is longer than {MAX_RECORD} characters: split it"
        )
    level = (_one(fields.get("level"), "level", place) or DEFAULT_LEVEL).upper()
    if level not in NOTE_LEVELS:
        raise NoteError(
            "schema",
            place,
            f"level {level[:20]!r} is not a note's: write L1 for a lesson, L2 for a summary "
            "(logs belong in logs/, documentation in reference/)",
        )
    return Note(
        date=date,
        path=path,
        line_start=line,
        level=level,
        kind=_one(fields.get("kind"), "kind", place) or DEFAULT_KIND,
        source=_source(_many(fields.get("source"), "source", place)),
        evidence=_evidence(_many(fields.get("evidence"), "evidence", place)),
        text=clean(text),
    )


def _source(values: Iterable[str]) -> str:
    return clean_line(" ".join(dict.fromkeys(filter(None, (_one_line(v) for v in values)))))


def _evidence(references: Iterable[str]) -> tuple[str, ...]:
    """References as their logs' paths are shown: NFC, no secret; two spaces in a name stay."""
    lines = "\n".join(map(clean_line, references))
    # Once more over all of them, as they are stored beside one another.
    return tuple(dict.fromkeys(filter(None, map(str.strip, clean(lines).split("\n")))))


def _string(value: Any, name: str, line: int, limit: int = MAX_FIELD) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise NoteError("schema", line, f"the field {name} is no string: write it as one")
    if len(value) > limit:
        raise NoteError(
            "schema", line, f"the field {name} is longer than {limit} characters: shorten it"
        )
    return value


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _one(value: Any, name: str, line: int) -> str:
    return clean_line(_one_line(_string(value, name, line)))


def _many(value: Any, name: str, line: int) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if len(values) > MAX_EVIDENCE:
        raise NoteError(
            "schema", line, f"the field {name} has over {MAX_EVIDENCE} entries: name fewer"
        )
    if any(not isinstance(item, str | None) for item in values):
        raise NoteError("schema", line, f"the field {name} is no list of strings: write it as one")
    return [_string(item, name, line) for item in values]
