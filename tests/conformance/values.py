"""Values for requests that schemathesis can't derive from the document, because OpenAPI 3.0 can't express them."""

from __future__ import annotations

import base64
import itertools
import os
import struct
import zlib
from typing import Any

import schemathesis
from hypothesis import strategies as st
from schemathesis.generation.meta import TestPhase

from links import ask_for_what_exists, remember


def png(width: int, height: int) -> str:
    """Returns a PNG of a gradient, as base64."""
    rows = b"".join(
        b"\0" + bytes(v for x in range(width) for v in (x * 255 // width, y * 255 // height, 128)) for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    picture = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return base64.b64encode(picture).decode()


# The top-level domain `invalid` never resolves, so a run sends nothing to other machines.
URLS = st.integers(min_value=0, max_value=999).map("https://media.invalid/{}".format)
# Both have the same size, so that each can be a mask for the other.
PICTURES = (png(96, 64), f"data:image/png;base64,{png(96, 64)}")
# Inputs of the built-in workflow apps, by app. The schema does not describe them.
APP_INPUTS = {
    "nArr8d": {"in_1": "Good morning", "in_2": "gentle rain", "in_3": 2},
    "iC0nS3": {"in_1": "house", "in_2": "svg"},
    "eN1rge": {"in_1": PICTURES[0], "in_2": 30},
}

# Values that the built-in engines require. No schema can express this.
WANTED = {
    "/v1/ai/sound-effects": {"text": "gentle rain"},
    "/v1/ai/text-to-icon": {"prompt": "a house"},
    "/v1/ai/text-to-icon/preview": {"prompt": "a house"},
    "/v1/ai/image-expand/{model}": {"prompt": ""},
    "/v1/ai/{model}-image-edit": {"prompt": "", "magic_prompt": "AUTO"},
}

schemathesis.openapi.format("uri", URLS)
# Mostly pictures, because a task fails if its picture can't be loaded.
schemathesis.openapi.format("x-media-image", st.one_of(URLS, *(st.just(picture) for picture in PICTURES)))
schemathesis.openapi.format("x-media-video", URLS)


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    """Sets formats with strategies for media and URLs.

    Schemathesis ignores a format next to a pattern: `https://` matches the pattern of URLs, but is not a URI.
    """
    forget_patterns_of_urls(raw_schema["components"]["schemas"])
    for schema in raw_schema["components"]["schemas"].values():
        if "x-media" in schema and "format" not in schema:
            schema["format"] = f"x-media-{schema['x-media']['kind']}"


def forget_patterns_of_urls(node: Any) -> None:
    if isinstance(node, dict):
        if node.get("format") == "uri":
            node.pop("pattern", None)
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            forget_patterns_of_urls(child)


NUMBERS = itertools.count()
# The processes of the service, which get the requests in turns.
URLS_OF_PROCESSES = itertools.cycle(os.environ["CONFORMANCE_URLS"].split())


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    remember(case, response)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Makes valid requests meaningful. Invalid ones are sent unchanged.

    Each request gets its own Idempotency-Key, because a key belongs to one request. Examples, and every second of the
    other requests, ask for existing items and possible work.
    """
    case.operation.base_url = next(URLS_OF_PROCESSES)
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    number = next(NUMBERS)
    key = (case.headers or {}).get("Idempotency-Key")
    if key:
        case.headers["Idempotency-Key"] = f"{key[:240]}-{number}"
    phase = case.meta.phase.name
    if phase is not TestPhase.EXAMPLES and number % 2:
        return
    # In the stateful phase, the parameters come from links.
    if phase is not TestPhase.STATEFUL:
        ask_for_what_exists(case, number // 2)
    if isinstance(case.body, dict) and case.method == "POST":
        case.body = {**case.body, **WANTED.get(case.path, {})}
        if case.path.endswith("/run"):
            app, inputs = list(APP_INPUTS.items())[number // 2 % len(APP_INPUTS)]
            case.path_parameters["app-id"] = app
            case.body["inputs"] = inputs
