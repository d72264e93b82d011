"""The redacted text of evidence, by content."""

from pathlib import Path

import zstandard

from mem_assets.storage.atomic import write_bytes


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
