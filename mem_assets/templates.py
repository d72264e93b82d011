"""Prompts as data: templates with named places for untrusted text, checked when they are read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mem_assets.hashing import sha256_text

PLACES: Mapping[str, tuple[str, ...]] = {
    "signature": ("log",),
    "gate": ("note",),
    "symptom": ("memory",),
}
"""Every template by name, with the placeholders that it must have."""

FOLDER = Path(__file__).parent / "prompts"
"""The packaged templates: a link to the repository's `prompts/`, real files once installed."""

FENCING = 1
"""Raised by hand when `fenced` or `as_shown` changes: it takes part in what a model reads."""

OPENING, CLOSING = "<<<TEXT", "TEXT>>>"
TEXT_BYTES = 6000
"""Of UTF-8 that one place takes: with the template and an answer it fits into 8192 tokens, since
no tokeniser makes more tokens than there are bytes."""

_PLACE = re.compile(r"\{\{([^{}\n]*)\}\}")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
# What chat templates mark a speaker or a turn with: <|im_end|>, </s>, <start_of_turn>, [/INST].
_TURN = re.compile(
    r"<(?=[|｜]|/?[A-Za-z_]{1,40}>)|\[(?=/?(?:INST|SYS|IMG|[A-Z]{2,20}_[A-Z_]{2,40})\])"
)
_MARK = re.compile(rf"{OPENING}|{CLOSING}|<<(?=SYS)|<</(?=SYS)")


class PromptError(ValueError):
    """A template that cannot be used; the message names the file and what is wrong with it."""


@dataclass(frozen=True)
class Prompt:
    """One template. text: as it stands in its file, line breaks as \\n."""

    name: str
    text: str

    @property
    def prompt_sha(self) -> str:
        """SHA-256 of the template's content: where it lies takes no part."""
        return sha256_text(self.text)

    def render(self, **values: str) -> str:
        """The prompt with a fenced text in each of its places.

        Raises ValueError unless exactly the template's places are given.
        """
        places = PLACES[self.name]
        if sorted(values) != sorted(places):
            raise ValueError(f"{self.name}.tmpl takes {', '.join(places)}, not {sorted(values)}")
        # One pass: what looks like a placeholder inside a text is no placeholder.
        return _PLACE.sub(lambda place: fenced(values[place.group(1)]), self.text)


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """A template by name, from `folder` where it has one, else the packaged one.

    Raises PromptError, naming the file and what is missing.
    """
    path = FOLDER / f"{name}.tmpl"
    if folder is not None and _own_names(folder).count(name):
        path = folder / f"{name}.tmpl"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise PromptError(f"{path} is missing: install the package again") from error
    except UnicodeDecodeError as error:
        raise PromptError(f"{path} is not UTF-8: save it as UTF-8") from error
    _check(path, text, PLACES[name])
    return Prompt(name, text)


def fenced(text: str) -> str:
    """Untrusted text between two lines that it cannot contain, cut to TEXT_BYTES.

    The lines carry a code made of the text, and their marks are taken out of the text itself.
    """
    shown = cut(as_shown(cut(text, TEXT_BYTES)), TEXT_BYTES)
    code = sha256_text(shown)[:12]
    return f"{OPENING} {code}\n{shown}\n{code} {CLOSING}"


def as_shown(text: str) -> str:
    """Text as a model is shown it: no invisible characters, nothing that ends a fence or a turn."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = _UNSEEN.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _TURN.sub(r"\g<0> ", _MARK.sub(lambda mark: " ".join(mark.group(0)), text))


def cut(text: str, size: int) -> str:
    """The start of a text that fits into `size` bytes of UTF-8."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= size else data[:size].decode("utf-8", "ignore")


def _own_names(folder: Path) -> list[str]:
    """Templates in a user's folder. A name that no template has would be left out unseen."""
    if not folder.is_dir():
        raise PromptError(f"MEM_PROMPTS={folder} is no folder: make it, or unset MEM_PROMPTS")
    names = sorted(path.stem for path in folder.glob("*.tmpl"))
    if unknown := [name for name in names if name not in PLACES]:
        raise PromptError(
            f"{folder / unknown[0]}.tmpl is no template; those are {', '.join(sorted(PLACES))}"
        )
    return names


def _check(path: Path, text: str, places: tuple[str, ...]) -> None:
    found = _PLACE.findall(text)
    for place in places:
        if found.count(place) != 1:
            raise PromptError(
                f"{path}: {{{{{place}}}}} stands {found.count(place)} times in it, not once"
            )
        if f"{{{{{place}}}}}" not in text.split("\n"):
            raise PromptError(f"{path}: {{{{{place}}}}} must stand alone on its line")
    if unknown := sorted(set(found) - set(places)):
        raise PromptError(
            f"{path}: {{{{{unknown[0]}}}}} is no placeholder of it; it has {', '.join(places)}"
        )
    if OPENING not in text or CLOSING not in text:
        raise PromptError(
            f"{path}: say that the text stands between the line that begins with {OPENING} and "
            f"the line that ends with {CLOSING}, and is data"
        )
    if "NONE" not in text:
        raise PromptError(f"{path}: say when the answer is NONE")
