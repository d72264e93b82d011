"""Whether what stands beside a telling name is a secret, or a word, a mask or a reference.

Error messages are full of "token: unexpected end" and "secret: my-tls", and of code that hands
a password on without showing it.
"""

import re
from dataclasses import dataclass

HEAD = 256
"""Characters of a value that are judged; enough to tell, and it bounds the work."""

_NOT_KEYS = re.compile(
    r"(?i)(?:publickeytoken|public[_-]?key|(?:max|min|num|total|eos|bos|pad|unk|sep|cls|mask|next"
    r"|page|continue|continuation|cancellation|prompt|completion|input|output|stop|current|last"
    r"|prev|previous|start|end|first|lookahead|syntax)[_.-]?tokens?)$"
)
# fmt: off
_WORDS = frozenset({
    "any", "array", "base64", "bearer", "bool", "boolean", "bytes", "changed", "char", "default",
    "defined", "deprecated", "disabled", "empty", "enabled", "error", "expected", "expired",
    "failed", "false", "found", "hidden", "ignored", "incorrect", "int", "integer",
    "invalid", "key", "masked", "match", "mismatch", "missing", "must", "nil", "no", "none",
    "not", "null", "number", "object", "omitted", "optional", "password", "provided",
    "redacted", "rejected", "removed", "required", "revoked", "sealed", "secret", "secure",
    "sensitive", "set", "str", "string", "text", "token", "true", "undefined", "unexpected",
    "unknown", "unset", "updated", "use", "valid", "value", "varchar", "void", "wrong",
    "yes", "md5", "sha256", "sha512",
})
# fmt: on
_REFERENCE = re.compile(
    r"(?i)^(?:\$|%[A-Z_]+%|@|\{\{|<|\(|\[|&|!|\.\.|#|\||\+$|>|https?://|arn:|sha(?:1|256|512)[:-]"
    r"|file:|vault:|op://|(?:process|os|env|var|vars|local|data|module|secrets|self|this|config"
    r"|cfg|settings|options|opts|args|params|props|req|request|ctx|context|github|inputs|steps)"
    r"[.\[])"
)
_MASK = re.compile(r"^[*x.•_-]+$|^\W+$|^x{3,}", re.IGNORECASE)
_CALL = re.compile(r"^[A-Za-z_][\w.:]*\((?:[^!)]*$|[\w\s\"'.,:=\[\]$-]*\)[;,]?$)")
_CHAIN = re.compile(r"^[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+;?$")
_PART = r"(?:[A-Za-z]+[0-9]{0,3}|[0-9]{1,4})"
_SLUG = re.compile(rf"^{_PART}(?:[-_./:]{_PART})*$")
_SPLIT_SLUG = re.compile(rf"^{_PART}(?:[-_./:]{_PART})+$")
_PATH = re.compile(r"^(?:~|\.{1,2})?/[\w.@-]*(?:/|$)|^[A-Za-z]:[\\/]")
_PORT = re.compile(r"[0-9]{1,5}(?:[/?#]|$)")


@dataclass(frozen=True)
class Assignment:
    """A value given to a name.

    key      the whole name; word is its telling end ("DB_PASSWORD", "password"), lower case
    value    its first HEAD characters
    quoted   whether the value stands in quotes
    certain  whether it is given for sure ("k=v", quotes, a line of YAML) and not a sentence
    colon    whether a single colon stands between them
    """

    key: str
    word: str
    value: str
    quoted: bool
    certain: bool
    colon: bool


def is_secret(given: Assignment) -> bool:
    """Whether a value given to a telling name is a secret."""
    value = given.value
    if _NOT_KEYS.search(given.key) or is_blank(value) or len(value) < 4 or _PATH.search(value):
        return False
    if given.word.endswith("_pass") and given.colon and _SLUG.match(value):
        return False
    chain = _CHAIN.match(value) and not re.search("[0-9]{4}", value)
    if not given.quoted and (chain or _CALL.match(value)):
        return False
    return _is_certain_secret(given) if given.certain else _is_likely_secret(given)


def is_flag_secret(value: str) -> bool:
    """Whether what follows a flag such as --password is a secret and no word of a sentence."""
    word = _SLUG.match(value) and not _is_mixed(value)
    return len(value) >= 6 and not (is_blank(value) or _PATH.search(value) or word)


def is_url_secret(user: str, password: str) -> bool:
    """Whether what stands between ":" and "@" in an address is a password, no port and path."""
    path = _PORT.match(password) or ("." in user and "/" in password)
    return not (path or is_blank(password))


def _is_certain_secret(given: Assignment) -> bool:
    key, word, value = given.key, given.word, given.value
    environment = key == key.upper() and len(key) >= 5
    if _is_password(word):
        return environment or value.lower() != key.lower()
    slug = bool(_SLUG.match(value))
    if word.startswith(("secret", "credential")) and len(key) <= len(word):
        return not slug and len(value) >= 6
    if environment:
        return len(value) >= 6 and not value.isdigit()
    if slug:
        return len(value) >= 20 and _is_mixed(value) and "/" not in value
    return len(value) >= 8 and _is_mixed(value)


def _is_likely_secret(given: Assignment) -> bool:
    value = given.value
    if _is_password(given.word):
        marked = bool(re.search(r"\w[!@#$%^&*]", value)) and not _SLUG.match(value)
        return len(value) >= 6 and (marked or (_is_mixed(value) and not _SPLIT_SLUG.match(value)))
    return len(value) >= 12 and _is_mixed(value) and not _SLUG.match(value)


def _is_password(word: str) -> bool:
    return "pass" in word or word == "pwd"


def _is_mixed(value: str) -> bool:
    return bool(re.search("[0-9]", value) and re.search("[A-Za-z]", value))


def is_blank(value: str) -> bool:
    """Whether a value stands for a secret without being one: a mask, a reference, a type."""
    bare = value.strip("\"'`,;:.()[]{}").lower()
    return (
        not bare
        or bare in _WORDS
        or bool(_MASK.match(value) or _REFERENCE.match(value))
        or "***" in value
        or "<REDACTED:" in value
    )
