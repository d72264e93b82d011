"""Rule sets: what a tool prints when it fails. Data, one TOML file a tool.

Keys of a file:

    schema         1
    tool           canonical name; part of every hash
    aliases        other names for it
    wraps          tools whose errors it prints as its own; ["*"] for all of them
    envelope       what a wrapper puts before a line of an inner tool
    signs          lines that only this wrapper prints (a log of unknown tool is then its log)
    detect         cheap tell-tales of the tool, for queries
    consequences   lines that only report an earlier error: never a root error
    declares       lines that name a code or an outcome beside the error: rules of rank 3 and 4 only
    noise          lines that look like errors and are none, for this tool and for generic rules
    exit_codes     lines that state the exit code, in group 1, at the end of a log
    step_ok        lines that state that the step before went well: its errors were tolerated
    step_end       lines that end a step's output, before anything states how it went
    step_failed    lines that state that the step before failed: its errors count
    success        lines that state, at the end of a log, that all went well
    [[rule]]       see Rule

All patterns are RE2, searched in one cleaned line. A folder of a user's own files is checked alike;
a file for a known tool adds to it, its rules coming first.
"""

import functools
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

import re2

from mem_assets.hashing import sha256_json

SCHEMA = 1
GENERIC = "generic"
_NOTHING = r"[^\x00-\x{10FFFF}]"
ROOT, WEAK, SUMMARY, WARNING = 1, 2, 3, 4


class RuleError(ValueError):
    """A rule file is wrong; the message names file, entry and what to change."""


@dataclass(frozen=True)
class Rule:
    """One kind of failure.

    rank          1 root error; 2 weak (an error, though a root error beats it); 3 summary (says
                  that something failed, used where nothing says what); 4 warning (some builds fail
                  by it: an error only where the exit code says that something failed)
    pattern       the root error's line; unless: and not this
    before/after  the block extends back, and on, over lines that match
    until         a line that ends the block and is not in it
    detail        identity also has the first line after the root that matches, one for each pattern
    context       identity also has the last line before the root that matches, one for each
    headline      the root line is shared by failures of this kind: without a detail, no match
    own_only      too general to tell the tool: used only where the tool is given
    """

    tool: str
    name: str
    pattern: str
    rank: int = ROOT
    unless: str = ""
    before: str = ""
    after: str = ""
    until: str = ""
    detail: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    headline: bool = False
    own_only: bool = False
    example: str = ""
    counter_example: str = ""

    @property
    def full_name(self) -> str:
        return f"{self.tool}.{self.name}"


@dataclass(frozen=True)
class RuleSet:
    """The rules of one tool; the module's text explains each key."""

    tool: str
    aliases: tuple[str, ...] = ()
    wraps: tuple[str, ...] = ()
    envelope: str = ""
    signs: tuple[str, ...] = ()
    detect: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    declares: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    exit_codes: tuple[str, ...] = ()
    step_ok: tuple[str, ...] = ()
    step_end: tuple[str, ...] = ()
    step_failed: tuple[str, ...] = ()
    success: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()

    def merged(self, other: "RuleSet") -> "RuleSet":
        """This set with another's entries before its own."""
        values: dict[str, Any] = {}
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            values[field.name] = theirs + mine if isinstance(mine, tuple) else theirs or mine
        return RuleSet(**values)


@dataclass(frozen=True, eq=False)
class RuleBook:
    """All rule sets in use, by tool; compared by identity, so that it can key a cache."""

    sets: dict[str, RuleSet]

    def canonical(self, tool: str) -> str:
        """The name under which a tool is hashed: its rule set's, else the name in lower case."""
        wanted = tool.strip().lower()
        if wanted in self.sets:
            return wanted
        for name in sorted(self.sets):
            if wanted in self.sets[name].aliases:
                return name
        return wanted

    @functools.cached_property
    def version(self) -> str:
        """Hash of every rule, in order."""
        return sha256_json([asdict(self.sets[tool]) for tool in sorted(self.sets)])


@functools.cache
def compiled(pattern: str) -> Any:
    """A compiled RE2 pattern; quiet on errors, which load reports with file and entry."""
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def either(patterns: Iterable[str]) -> str:
    """A pattern that matches a line of a text where one of the patterns does."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return f"(?m){joined or _NOTHING}"


def any_of(patterns: Iterable[str]) -> Any:
    """`either`, compiled."""
    return compiled(either(patterns))


@functools.cache
def packaged_rules() -> RuleBook:
    """The rule sets that come with the package.

    Their patterns and examples are checked by the package's tests, not at each start: that would
    be a tenth of a second of every lookup.
    """
    sets: dict[str, RuleSet] = {}
    for name, text in packaged_files():
        _add(sets, parse(name, text, check=False))
    return RuleBook(sets)


def _add(sets: dict[str, RuleSet], more: RuleSet) -> None:
    sets[more.tool] = sets[more.tool].merged(more) if more.tool in sets else more


def packaged_files() -> list[tuple[str, str]]:
    """Name and text of each rule file that comes with the package."""
    folder = resources.files("mem_assets.signature") / "rules"
    return [
        (entry.name, entry.read_text(encoding="utf-8"))
        for entry in sorted(folder.iterdir(), key=lambda item: item.name)
        if entry.name.endswith(".toml")
    ]


def load_rules(*folders: str | Path) -> RuleBook:
    """The packaged rule sets and those of each folder's ``*.toml``, the later folder first.

    The same texts give the same book, so that its scanners are compiled once a process. Raises
    RuleError for a folder without a rule file, for a file that cannot be read or breaks the
    schema, or for a rule that does not match its example or matches its counter-example;
    FileNotFoundError for a folder that is not there.
    """
    files = [file for folder in folders for file in _own_files(Path(folder))]
    return _with_own(tuple(files)) if files else packaged_rules()


def _own_files(folder: Path) -> list[tuple[str, str]]:
    if not folder.is_dir():
        raise FileNotFoundError(f"rule folder {folder} does not exist: create it, or unset it")
    found = []
    for path in sorted(folder.glob("*.toml")):
        try:
            found.append((str(path), path.read_text(encoding="utf-8-sig")))
        except (OSError, UnicodeDecodeError) as error:
            raise RuleError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    if not found:
        raise RuleError(f"{folder}: no rule file (*.toml) in it: put one there, or unset it")
    return found


@functools.lru_cache(maxsize=8)
def _with_own(files: tuple[tuple[str, str], ...]) -> RuleBook:
    from mem_assets.signature.block import check_examples

    packaged = packaged_rules()
    sets = dict(packaged.sets)
    for name, text in files:
        own = parse(name, text)
        check_examples(name, own)
        known = packaged.canonical(own.tool)
        if known != own.tool:
            raise RuleError(
                f"{name}: '{own.tool}' is another name of {known}: write tool = '{known}'"
            )
        for alias in own.aliases:
            if packaged.canonical(alias) not in (alias, own.tool) or alias in packaged.sets:
                raise RuleError(f"{name}: alias '{alias}' already names another tool: remove it")
        _add(sets, own)
    return RuleBook(sets)


def parse(file: str, text: str, *, check: bool = True) -> RuleSet:
    """A rule set from TOML text. Raises RuleError where keys, types or patterns are wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{file}: not TOML: {error}") from error
    if data.pop("schema", None) != SCHEMA:
        raise RuleError(f"{file}: 'schema' must be {SCHEMA}")
    entries = data.pop("rule", [])
    values = _fields(file, "the file's head", RuleSet, data, {"rules"}, check)
    head = RuleSet(**values)
    for name in (head.tool, *head.aliases):
        if name != "".join(name.lower().split()):
            raise RuleError(f"{file}: tool name '{name}': write it in lower case, without blanks")
    if not (isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)):
        raise RuleError(f"{file}: 'rule' must be a list of tables: write [[rule]] above each")
    rules = tuple(_rule(file, head.tool, entry, check) for entry in entries)
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise RuleError(f"{file}: rule '{name}': the name stands twice")
    return replace(head, rules=rules)


def _rule(file: str, tool: str, entry: dict[str, Any], check: bool) -> Rule:
    where = f"rule '{entry.get('name', '(without name)')}'"
    rule = Rule(tool=tool, **_fields(file, where, Rule, entry, {"tool"}, check))
    if rule.rank not in (ROOT, WEAK, SUMMARY, WARNING):
        raise RuleError(f"{file}: {where}: 'rank' must be 1, 2, 3 or 4")
    if not rule.example.strip() or not rule.counter_example.strip():
        raise RuleError(f"{file}: {where}: needs an 'example' and a 'counter_example'")
    if rule.headline and not (rule.detail or rule.context):
        raise RuleError(f"{file}: {where}: a headline needs 'detail' or 'context'")
    return rule


_TEXTS = {"tool", "name", "example", "counter_example", "aliases", "wraps"}


def _fields(
    file: str, where: str, kind: type, data: dict[str, Any], absent: set[str], check: bool
) -> dict[str, Any]:
    known = {field.name: field for field in fields(kind) if field.name not in absent}
    for key in sorted(set(data) - set(known)):
        raise RuleError(f"{file}: {where}: unknown key '{key}'; known: {', '.join(known)}")
    values: dict[str, Any] = {}
    for key, value in data.items():
        wanted: Any = known[key].type
        if wanted == tuple[str, ...]:
            if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
                raise RuleError(f"{file}: {where}: '{key}' must be a list of strings")
            value = tuple(value)
        elif not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool):
            raise RuleError(f"{file}: {where}: '{key}' must be of type {wanted.__name__}")
        if check and key not in _TEXTS and not isinstance(value, int):
            for pattern in value if isinstance(value, tuple) else (value,):
                _check_pattern(file, where, key, pattern)
        values[key] = value
    for required in {"tool", "name", "pattern"} & set(known):
        if not values.get(required):
            raise RuleError(f"{file}: {where}: '{required}' is missing")
    return values


def _check_pattern(file: str, where: str, key: str, pattern: str) -> None:
    if r"\A" in pattern or r"\z" in pattern or "\n" in pattern:
        raise RuleError(
            f"{file}: {where}: '{key}': use ^ and $, a pattern sees one line: {pattern}"
        )
    try:
        found = compiled(pattern)
    except re2.error as error:
        raise RuleError(
            f"{file}: {where}: '{key}' is no RE2 pattern: {pattern}: {error}"
        ) from error
    if key == "exit_codes" and not found.groups:
        raise RuleError(f"{file}: {where}: 'exit_codes': put the digits in a group: {pattern}")
    if key not in ("before", "after", "until") and found.search("") is not None:
        raise RuleError(f"{file}: {where}: '{key}' matches an empty line: {pattern}")
