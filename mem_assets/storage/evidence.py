"""The redacted text of evidence, by content."""

from pathlib import Path

import zstandard

from mem_assets.hashing import sha256_text
from mem_assets.storage.atomic import write_bytes


class EvidenceLost(LookupError):
    """The text of a log cannot be had any more; the message says why."""


class EvidenceStore:
    """evidence/<ab>/<text_sha>.zst under a data home. Equal logs are stored once."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "evidence"

    def path(self, text_sha: str) -> Path:
        return self.folder / text_sha[:2] / f"{text_sha}.zst"

    def holds(self, text_sha: str) -> bool:
        return self.path(text_sha).exists()

    def write(self, text_sha: str, text: str) -> None:
        if not self.holds(text_sha):
            write_bytes(
                self.path(text_sha), zstandard.compress(text.encode("utf-8", "replace"), 10)
            )

    def read(self, text_sha: str) -> str:
        """The log's text. Raises FileNotFoundError where it was pruned or never kept."""
        data = (
            zstandard.ZstdDecompressor()
            .decompressobj()
            .decompress(self.path(text_sha).read_bytes())
        )
        return data.decode("utf-8")

    def read_signed(self, text_sha: str) -> str:
        """The log's text, proven to be the one that was signed. Raises EvidenceLost."""
        try:
            text = self.read(text_sha)
        except FileNotFoundError:
            raise EvidenceLost("its text is not stored any more") from None
        except (OSError, UnicodeDecodeError, zstandard.ZstdError) as error:
            raise EvidenceLost(f"its stored text cannot be read: {error}") from error
        if sha256_text(text) != text_sha:
            raise EvidenceLost("its stored text is not the one that was signed")
        return text
