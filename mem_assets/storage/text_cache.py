"""Generated texts by content: what was asked once is never asked again."""

import json
from pathlib import Path

from mem_assets.storage.atomic import replaced


class TextCache:
    """One small file an answer, named by its key, so that parallel runs never wait or collide.

    A file that is damaged counts as absent and is written again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def read(self, key: str) -> str | None:
        try:
            text = json.loads(self._path(key).read_text("utf-8"))["text"]
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        return text if isinstance(text, str) else None

    def write(self, key: str, text: str) -> None:
        with replaced(self._path(key), durable=False) as temporary:
            temporary.write_text(json.dumps({"text": text}), "utf-8")
