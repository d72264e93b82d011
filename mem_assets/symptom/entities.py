"""Which tokens name a thing (a package, a file, a version) and which carry a code."""

from functools import lru_cache

import re2

_URL = re2.compile(r"[a-z][a-z0-9+]{1,15}(?:\+[a-z]+)?://\S+|www\.\S+|git@\S+")
_AT_VERSION = re2.compile(r"(@?[^@\s]+)@([^@\s]*)")
_VERSION = re2.compile(r"[v^~=]{0,3}\d+(?:\.(?:\d+|x))+(?:[-+._a-z0-9]*)?")
_PLACE = re2.compile(r"(.+?\.[a-z0-9]{1,8}):\d+(?::\d+)?")
_EXCEPTION = re2.compile(r"(?:.*[.:$/])?([a-z]*(?:error|exception|fault|interrupt))")
_MEASURE = re2.compile(
    r"\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|b|kb|kib|mb|mib|gb|gib|k|g|%)?|\d+[:.]\d+(?:[:.,]\d+)*"
)
_DATE = re2.compile(r"\d{4}-\d\d-\d\d(?:t[\d:.]+z?)?|\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?z?")
_HEX = re2.compile(r"(?:0x|sha\d+:|h1:)?[0-9a-f]{7,}|0x[0-9a-f]+|h1:\S+|sha\d+:\S+|sha\d+-\S+")
_NAME_MARK = re2.compile(r"[@/\\.:\d_~%]")
_NUMBER = re2.compile(r"\d{3,5}")
_ALNUM_WORDS = frozenset({"x509", "k8s", "s3", "ec2", "ipv4", "ipv6", "http2", "utf-8", "base64"})
"""Words that hold a digit and name no thing."""

Entity = tuple[str, ...]


@lru_cache(maxsize=1 << 13)
def exception_name(token: str) -> str | None:
    """`nullpointerexception` of `java.lang.nullpointerexception`, None where it is no such name."""
    match = _EXCEPTION.fullmatch(token)
    name = match.group(1) if match else ""
    return name if len(name) > 9 else None


def is_number(token: str) -> bool:
    """A bare number of three to five digits: what error numbers look like."""
    return _NUMBER.fullmatch(token) is not None


def is_volatile(token: str) -> bool:
    """A measure, time, date or digest: it differs from run to run and names nothing."""
    if _DATE.fullmatch(token) or _MEASURE.fullmatch(token):
        return True
    digits = any(character.isdigit() for character in token)
    return digits and _HEX.fullmatch(token) is not None


@lru_cache(maxsize=1 << 13)
def read_entity(token: str) -> Entity | None:
    """The names that a folded token stands for, None for an ordinary word, () for an address.

    Only the token's own form decides, so that neither its place in the query nor the case and
    quotes around it change the hash.
    """
    if token in _ALNUM_WORDS:
        return None
    if _URL.match(token):
        return ()
    if is_volatile(token) and not _VERSION.fullmatch(token):
        return ()
    if place := _PLACE.fullmatch(token):
        token = place.group(1)
    if versioned := _AT_VERSION.fullmatch(token):
        name, version = versioned.groups()
        return (name, version) if version and _VERSION.fullmatch(version) else (name,)
    if _VERSION.fullmatch(token):
        return (token.lstrip("v^~="),)
    if token.startswith("@"):
        return (token,)
    if "/" in token or "\\" in token:
        return _path_names(token.replace("\\", "/"))
    return (token,) if _NAME_MARK.search(token) else None


def _path_names(path: str) -> Entity:
    """A repository-like name whole (`github.com/acme/tool`), a file's path by its last part."""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return ()
    absolute = path.startswith(("/", ".", "~")) or ":" in parts[0]
    if absolute or len(parts) > 4 or "." in parts[-1]:
        return (parts[-1],)
    return ("/".join(parts),)
