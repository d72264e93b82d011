"""The YAML in front of a Markdown note: strings and lists of strings, and nothing else."""

from typing import Any

import yaml

from mem_assets.memory.cleaning import clean_line

MAX_FRONT_MATTER = 16 * 1024
"""Characters. Six short fields need under one thousand."""

_MAX_DEPTH = 8


class NoteError(ValueError):
    """A note that cannot be taken: a reason of REJECT_REASONS, a 1-based line, a sentence."""

    def __init__(self, reason: str, line: int, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.line = line
        self.detail = detail


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
            raise NoteError(
                "front_matter", line, f"the key {clean_line(key)[:60]!r} stands twice: keep one"
            )
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
