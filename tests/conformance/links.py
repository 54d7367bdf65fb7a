"""Links from responses to parameters: a create returns the id of a task, which a get takes.

OpenAPI has `links` for this purpose. But all families of this API share their responses, so the document would repeat
the same link for each family. This module defines the links once. Schemathesis follows them in its stateful phase, from
creates to gets and lists. In the other phases, every second valid request asks for something that exists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import schemathesis


@dataclass(frozen=True)
class Link:
    """A link from a success of `source` to `target`, which are both a method and a path.

    The value at `pointer` in the response becomes `parameter` of `target`. Without them, `target` is just called next.
    """

    source: tuple[str, str]
    target: tuple[str, str]
    pointer: str = ""
    parameter: str = ""


# The links other than those of tasks, which follow from their paths.
LINKS = [
    Link(("get", "/v1/music"), ("get", "/v1/music/download"), "/results/0/id", "id"),
    Link(("get", "/v1/sfx"), ("get", "/v1/sfx/download"), "/results/0/id", "id"),
    Link(("get", "/v1/ai/apps"), ("get", "/v1/ai/apps/{app-id}"), "/data/0/sqid", "app-id"),
    Link(
        ("post", "/v1/ai/apps/{app-id}/run"),
        ("get", "/v1/ai/apps/runs/{run-id}"),
        "/workflow_run_identifier",
        "run-id",
    ),
    Link(
        ("post", "/v1/ai/text-to-icon"),
        ("post", "/v1/ai/text-to-icon/{task-id}/render/{format}"),
        "/data/task_id",
        "task-id",
    ),
]


def of_tasks(paths: dict[str, Any]) -> Iterator[Link]:
    """Yields links from creates to gets and lists. `/skin-enhancer/creative` creates for `/skin-enhancer`."""
    for path in paths:
        collection, end, rest = path.rpartition("/{task-id}")
        if not end or rest:
            continue
        for source in (collection, *(f"{collection}/{mode}" for mode in MODES)):
            if "post" in paths.get(source, {}):
                yield Link(("post", source), ("get", path), "/data/task_id", "task-id")
                yield Link(("post", source), ("get", collection))


MODES = ("creative", "faithful", "flexible", "preview", "turbo")

# The path and query parameters with which a target finds something, by the label of the target.
KNOWN: dict[str, list[dict[str, Any]]] = defaultdict(list)
# No response contains an icon id. This icon is in the catalogue of `serve --demo`.
KNOWN["GET /v1/icons/{id}"].append({"id": 135458005671585})

# The number of the newest parameter sets that are kept for each target.
MOST_KNOWN = 20

BY_SOURCE: dict[str, list[Link]] = defaultdict(list)


def label(operation: tuple[str, str]) -> str:
    method, path = operation
    return f"{method.upper()} {path}"


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    """Writes the links into the document. A shared response is first copied to its reference."""
    paths = raw_schema["paths"]
    for link in [*LINKS, *of_tasks(paths)]:
        if link.parameter:
            BY_SOURCE[label(link.source)].append(link)
        (source, path), (target, target_path) = link.source, link.target
        # A page of a list with generated parameters is mostly empty, so there is nothing to follow.
        if source == "get":
            continue
        responses = paths[path][source]["responses"]
        status = next(status for status in responses if status.startswith("2"))
        shared = responses[status].get("$ref")
        if shared is not None:
            responses[status] = dict(raw_schema["components"]["responses"][shared.rpartition("/")[2]])
        parameters = {link.parameter: f"$response.body#{link.pointer}"} if link.parameter else {}
        if "{model}" in target_path:
            parameters["model"] = "$request.path.model"
        links = responses[status].setdefault("links", {})
        operation_id = paths[target_path][target]["operationId"]
        links[operation_id] = {"operationId": operation_id, "parameters": parameters}


def remember(case: Any, response: Any) -> None:
    """Remembers the values that the links of a response point to."""
    links = BY_SOURCE.get(case.operation.label, [])
    if not links or response.status_code not in (200, 202):
        return
    response = response.json()
    for link in links:
        value = value_at(response, link.pointer)
        if value is not None:
            known = KNOWN[label(link.target)]
            known.append({**(case.path_parameters or {}), link.parameter: value})
            del known[:-MOST_KNOWN]


def ask_for_what_exists(case: Any, number: int) -> None:
    """Puts known values into the parameters of a request, if there are any."""
    known = KNOWN.get(case.operation.label)
    if not known:
        return
    chosen = known[number % len(known)]
    for parameters in (case.path_parameters, case.query):
        for name in set(parameters or {}) & chosen.keys():
            parameters[name] = chosen[name]


def value_at(response: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        if isinstance(response, list):
            response = response[int(step)] if int(step) < len(response) else None
        elif isinstance(response, dict):
            response = response.get(step)
    return response
