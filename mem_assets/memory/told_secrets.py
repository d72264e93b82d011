"""Secrets that people tell in a sentence: known by what is said around them, not by their shape.

Redaction replaces what is a secret for sure; this finds what reads like one, so that the gate
turns the note back to its author: a password beside its word, a login that is spelt out, one
that is encoded, spaced out or written backwards.
"""

import base64
import binascii
import re

import re2

from mem_assets.memory.redaction import find_secrets
from mem_assets.memory.secret_values import is_blank

MIN_LENGTH = 8
"""Characters of a password that is told; shorter ones look like any word."""

REACH = 90
"""Characters between the word for a secret and the secret."""

_NAMES = re2.compile(
    r"(?i)(?:^|[^\pL])(?:pass ?words?|pass\s?phrase|phrase|key ?store|passwd|pwd|pw|psk"
    r"|pre-shared key|passcode|pin code|kennwort|passwort|zugangsdaten|schlüssel"
    r"|mot de passe|mdp|clé|contraseña|clave"
    r"|secret|token|api[ -]?key|access[ -]?key|signing[ -]?key|webhook key|the key|licen[cs]e key"
    r"|login|log ?in|sign in|credentials?|creds|account|root|admin|authori[sz]ation|basic|bearer"
    r"|konto|benutzer|anmeldung|compte|cuenta|usuario)(?:$|[^\pL])"
)
_TOKEN = re2.compile(r"[^\s\"'`(),;<>\[\]{}“”‘’]{8,200}")
_SPACED = re2.compile(r"(?:^|[\s:\"'])((?:[!-~][ .\-]{1,3}){7,60}[!-~])(?:$|[\s.,;\"'])")
_BASE64 = re2.compile(r"[A-Za-z0-9+/_-]{16,400}={0,2}")
_LOGIN = re2.compile(r"^[\w.@+\-]{2,}:\S{4,}$")
_NO_SECRET = re2.compile(
    r"(?i)^(?:[a-z]+://|[/~.\-$%@#<{*]|\.{1,2}/|[A-Z]:\\)|/|\\|\(|=.*=|::"
    r"|^[A-Z]{2,10}-\d+$|^v?\d+(?:\.\d+)+\S*$|^[0-9a-f]{7,64}$|^[0-9a-f]{8}-[0-9a-f]{4}-\S+$"
    r"|^sha\d*[:\-]|^\d[\d.,:\-]*[a-z%]{1,4}$|^[\w\-]+(?:\.[\w\-]+)*\.(?:[a-z]{2,6}|example)(?::\d+)?$"
    r"|^[\w.\-]+:[\w.\-]+$|@[\w\-]+\.[a-z]+$|^[a-z_]\w*=|^\w+-\w+@\d"
)
_LINK = re2.compile(
    r"(?i)(?:[:=→]|->|(?:^|[^\pL])(?:is|was|are|to|record|reads?|says|being|use|try|with|now|then|as"
    r"|lautet|ist|war|heißt|est|es|era|phrase|password|passwort|kennwort|psk|pw|pwd|secret|token|key"
    r"|pass|contraseña|passe))[\s\"'`*]*$"
)
_LOGIN_LINK = re2.compile(
    r"(?i)(?:use|as|with|login|log in|sign in|user|account|mit|avec|con|benutzer)[:\s]+"
    r"[\"'`]?[\w.@\-]{2,40}[\"'`]?\s*(?:and|/|with|,|und|et|y|mit)\s*[\"'`]?$"
)
_BACKWARDS = ("terces", "drowssap", "dwssap", "nekot", "yekipa", "yek_ipa", "yek-ipa", "evil_ks")
_PERCENT = re.compile("%([2-7][0-9A-Fa-f])")
_STRONG = re2.compile(r"[!@#$%^&*+~?]\S|\pL{3,}[-_.]\pL{3,}\S*[!#$%^&*+~?]$")


def told_secrets(text: str) -> list[str]:
    """What kinds of secret a text tells, sorted; empty where it tells none. Linear in the text."""
    found = set()
    if any(_tells_one(text, match.end()) for match in _NAMES.finditer(text)):
        found.add("a password or key in a sentence")
    if any(map(_is_encoded_login, _BASE64.findall(text))):
        found.add("a login in base64")
    if any(_is_spaced_out(text, match) for match in _SPACED.finditer(text)):
        found.add("a secret that is spaced out")
    if any(_is_backwards(token) for token in _TOKEN.findall(text)):
        found.add("a secret that is written backwards")
    if "%" in text and set(find_secrets(_decoded(text))) - set(find_secrets(text)):
        found.add("a secret that is percent-encoded")
    return sorted(found)


def _tells_one(text: str, start: int) -> bool:
    """Whether a secret stands within reach after its word."""
    start = max(0, start - 1)
    window = text[start : start + REACH + 200]
    for match in _TOKEN.finditer(window):
        if match.start() > REACH:
            return False
        token = match.group(0).rstrip(".:?*_")
        before = window[: match.start()]
        place = start + match.start()
        linked = _LINK.search(before) or _LOGIN_LINK.search(text[max(0, place - REACH) : place])
        if _is_chosen(token) and (linked or _STRONG.search(token)):
            return True
    return False


def _is_chosen(token: str) -> bool:
    """Whether it looks like something a person or a generator chose as a password."""
    if len(token) < MIN_LENGTH or is_blank(token) or _NO_SECRET.search(token):
        return False
    digits = any(map(str.isdigit, token))
    if not digits or not any(map(str.isalpha, token)):
        return False
    words = re.findall(r"[^\W\d_]{3,}", token)
    mixed = any(map(str.isupper, token)) and any(map(str.islower, token))
    capitals = sum(word[0].isupper() and word[1:].islower() for word in words)
    return (
        _STRONG.search(token) is not None
        or len(words) >= 3
        or (capitals >= 2 and "-" in token)
        or (mixed and len(token) >= 10 and len(set(token)) >= 8 and token.isalnum() and not words)
    )


def _is_encoded_login(token: str) -> bool:
    if not (re.search("[a-z]", token) and re.search("[A-Z]", token)):
        return False
    bare = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        plain = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return plain.isprintable() and _LOGIN.search(plain) is not None


def _is_spaced_out(text: str, match: "re.Match[str]") -> bool:
    spelt = re.sub(r"[ .\-]", "", match.group(1))
    mixed = any(map(str.isdigit, spelt)) and any(map(str.isalpha, spelt))
    return mixed and _NAMES.search(text[max(0, match.start() - REACH) : match.start()]) is not None


def _is_backwards(token: str) -> bool:
    lower = token.lower()
    return any(map(str.isdigit, token)) and any(name in lower for name in _BACKWARDS)


def _decoded(text: str) -> str:
    """With what is percent-encoded as it reads."""
    return _PERCENT.sub(lambda match: chr(int(match.group(1), 16)), text)
