"""A loopback server that answers in the form that vLLM 0.32 was seen to answer in."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str, Any], tuple[int, Any]]
"""Path and JSON body (None for GET) to a status and what is sent: bytes as they are, else JSON."""


def models(*names: str, length: int = 8192) -> dict[str, Any]:
    """What /v1/models says."""
    data = [
        {
            "id": name,
            "object": "model",
            "created": 1796095704,
            "owned_by": "vllm",
            "root": f"/models/{name}",
            "parent": None,
            "max_model_len": length,
            "permission": [],
        }
        for name in names
    ]
    return {"object": "list", "data": data}


def completion(
    text: str | None, fingerprint: str | None = "vllm-0.32.0-5034f91b", reason: str = "stop"
) -> dict[str, Any]:
    """What /v1/chat/completions says."""
    message = {
        "role": "assistant",
        "content": text,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        "reasoning": None,
    }
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": reason,
        "stop_reason": None,
        "token_ids": None,
    }
    return {
        "id": "chatcmpl-bf99ebcae00ffd76",
        "object": "chat.completion",
        "created": 1796095704,
        "model": "small",
        "choices": [choice],
        "service_tier": None,
        "system_fingerprint": fingerprint,
        "usage": {"prompt_tokens": 37, "total_tokens": 45, "completion_tokens": 8},
        "prompt_logprobs": None,
        "kv_transfer_params": None,
    }


@contextmanager
def serve(answer: Answer) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """The server's address (…/v1), and the requests it got."""
    asked: list[tuple[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(None)

        def do_POST(self) -> None:
            self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _reply(self, body: Any) -> None:
            path = self.path.removeprefix("/v1")
            asked.append((path, body))
            status, sent = answer(path, body)
            data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status in (301, 302, 307):
                self.send_header("Location", sent["to"])
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
