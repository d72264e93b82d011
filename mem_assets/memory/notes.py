"""From a note's file to notes: Markdown with front matter, or JSONL with one note a line.

A file is never refused with an exception: what cannot be read becomes a Reject that names
the line and says what to do, and the other lines of a JSONL go on.
"""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from mem_assets.memory.model import Reject

NOTE_LEVELS = ("L1", "L2")
"""What a note may be: L0 comes from logs/, R from reference/."""

DEFAULT_LEVEL = "L1"
DEFAULT_KIND = "note"

MAX_FRONT_MATTER = 16 * 1024
"""Characters. Six short fields need under one thousand."""

MAX_RECORD = 1024 * 1024
"""Characters of one JSONL line or one Markdown note; a memory is about a thousandth of it."""

MAX_FIELD = 2048
"""Characters of a level, a kind, a source or one reference."""

MAX_EVIDENCE = 200
"""References of one note."""

_MAX_DEPTH = 8
_JSONL_SUFFIXES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Note:
    """One note as it was given.

    line_start  1-based line of the file on which `text` begins; with JSONL the note's line
    text        NFC, line breaks as \\n; for Markdown, line N of it is line
                `line_start + N - 1` of the file
    source      an address, ticket or commit as given, "" where there is none
    evidence    references as given, in their order, none twice
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


class NoteError(ValueError):
    """A note that cannot be taken: a reason of REJECT_REASONS, a 1-based line, a sentence."""

    def __init__(self, reason: str, line: int, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.line = line
        self.detail = detail


def is_jsonl(path: str) -> bool:
    """True where the path's name says one JSON object a line, compressed or not."""
    name = path.rsplit("/", 1)[-1].lower().removesuffix(".gz").removesuffix(".zst")
    return name.endswith(_JSONL_SUFFIXES)


def parse_note(date: str, path: str, text: str) -> tuple[list[Note], list[Reject]]:
    """The notes of one file and what of it could not be taken.

    `date` is the landing's, `path` the file's under the landing; `text` must be redacted
    already, since ids are hashes of it. Fields: level (L1 or L2, default L1), text, evidence
    (a reference or a list of them), source, kind (default "note"); other keys are tolerated.
    Markdown without front matter is an L1 note with no source. Never raises.
    """
    lines = normalise(text).split("\n")
    parse = _parse_jsonl if is_jsonl(path) else _parse_markdown
    notes: list[Note] = []
    rejects: list[Reject] = []
    for result in parse(date, path, lines):
        if isinstance(result, Note):
            notes.append(result)
        else:
            rejects.append(Reject(date, path, result.line, result.reason, result.detail))
    return notes, rejects


def normalise(text: str) -> str:
    """Text as every part of the memory reads it: NFC, \\n, no byte order mark.

    A lone surrogate has no UTF-8 form, so nothing could store it; it becomes "?".
    """
    text = text.encode("utf-8", "replace").decode("utf-8").removeprefix("\ufeff")
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


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
            body_start, body = 0, _one(fields["text"], "text", 1, MAX_RECORD)
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
            text = _one(fields["text"], "text", number, MAX_RECORD)
            yield _note(date, path, number, fields, normalise(text), number)
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
            raise _DuplicateKeyError(repr(key[:60]))
        fields[key] = value
    return fields


def front_matter(lines: list[str]) -> tuple[dict[str, Any], int]:
    """The fields (unchecked) and the 0-based index of the first line below them.

    ({}, 0) where the document does not open with a line ---. Raises NoteError.
    """
    if lines[0].rstrip() != "---":
        return {}, 0
    size = 0
    for end, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return _yaml_fields("\n".join(lines[1:end])), end + 1
        size += len(line) + 1
        if size > MAX_FRONT_MATTER:
            raise NoteError(
                "front_matter",
                1,
                f"no closing --- within {MAX_FRONT_MATTER} characters: close or shorten it",
            )
    raise NoteError(
        "front_matter", 1, "the file opens with --- and nothing closes it: add a line ---"
    )


class _FrontMatterLoader(yaml.BaseLoader):
    """Composes nodes only, so no value becomes an object; refuses aliases and deep nesting."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.MarkedYAMLError(
                problem="aliases are not allowed", problem_mark=event.start_mark
            )
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise yaml.MarkedYAMLError(
                problem="nested too deep", problem_mark=self.peek_event().start_mark
            )
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _yaml_fields(source: str) -> dict[str, Any]:
    """Scalars as the strings that stand there (a date stays one), lists of them as lists."""
    try:
        # A subclass of yaml's base loader that only composes: no tag is ever constructed.
        node = yaml.compose(source, Loader=_FrontMatterLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        raise NoteError(
            "front_matter",
            2 + mark.line if mark else 1,
            f"the front matter is not YAML ({str(problem)[:120]}): write one `key: value` a line",
        ) from None
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise NoteError(
            "front_matter", 2, "the front matter is not a mapping: write one `key: value` a line"
        )
    fields: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
        if key in fields:
            line = 2 + key_node.start_mark.line
            raise NoteError("front_matter", line, f"the key {key[:60]!r} stands twice: keep one")
        if key:
            fields[key] = _plain(value_node)
    return fields


def _plain(node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        is_null = node.style is None and node.value in ("", "~", "null", "Null", "NULL")
        return None if is_null else str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return {}


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
        source=" ".join(_many(fields.get("source"), "source", place)),
        evidence=_many(fields.get("evidence"), "evidence", place),
        text=text,
    )


def _one(value: Any, name: str, line: int, limit: int = MAX_FIELD) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise NoteError("schema", line, f"the field {name} is no string: write it as one")
    if len(value) > limit:
        raise NoteError(
            "schema", line, f"the field {name} is longer than {limit} characters: shorten it"
        )
    return value if limit == MAX_RECORD else " ".join(normalise(value).split())


def _many(value: Any, name: str, line: int) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if len(values) > MAX_EVIDENCE:
        raise NoteError(
            "schema", line, f"the field {name} has over {MAX_EVIDENCE} entries: name fewer"
        )
    if any(not isinstance(item, str | None) for item in values):
        raise NoteError("schema", line, f"the field {name} is no list of strings: write it as one")
    return tuple(dict.fromkeys(filter(None, (_one(item, name, line) for item in values))))
