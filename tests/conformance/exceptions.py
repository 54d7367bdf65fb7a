"""Accepted failures of single checks, each with its reason.

An exception applies only if the operation, the response and the sent value match it. All other failures count. `report`
prints how many times each exception was used.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import schemathesis
from schemathesis.core.failures import ServerError
from schemathesis.openapi.checks import RejectedPositiveData

from values import APP_INPUTS


@dataclass(frozen=True)
class NoEngine:
    """The documented 503 of these operations: it is permanent and has no `Retry-After`."""

    reason: str
    operations: set[str]

    def excuses(self, operation: str, response: Any) -> bool:
        body = {"message": "no engine configured", "permanent": True}
        return (
            operation in self.operations
            and response.status_code == 503
            and response.json() == body
            and "retry-after" not in response.headers
        )


def unserved() -> set[str]:
    """Returns the operations without an engine, as the service lists them. A test of the service holds the list."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"{os.environ['CONFORMANCE_URLS'].split()[0]}/docs/capabilities.json") as response:
        operations = json.load(response)["operations"].values()
    return {f"{one['method'].upper()} {one['path']}" for one in operations if one["engine"] is None}


@dataclass(frozen=True)
class Refusal:
    """A violation in a 400.

    `wording` matches its reason, and `is_true` checks the reason against the sent value and the whole input.
    """

    reason: str
    # An empty set stands for all operations.
    operations: set[str]
    wording: str
    is_true: Callable[[Any, Any], bool]

    def excuses(self, operation: str, violation: dict[str, str], sent: Any) -> bool:
        return (
            (not self.operations or operation in self.operations)
            and re.search(self.wording, violation["reason"]) is not None
            and self.is_true(value_at(sent, violation["name"]), sent)
        )


def value_at(sent: Any, name: str) -> Any:
    """Returns the value that a violation names: `styling.styles[0].id`, `filters[psd]`."""
    if isinstance(sent, dict) and name in sent:
        return sent[name]
    for step in re.findall(r"[^.\[\]]+", name):
        if isinstance(sent, list) and step.isdigit() and int(step) < len(sent):
            sent = sent[int(step)]
        elif isinstance(sent, dict):
            sent = sent.get(step)
        else:
            return None
    return sent


# Exceptions of the check `not_a_server_error`.
NO_ENGINE = NoEngine(
    "a family that only a model can serve has no engine in a fresh installation",
    unserved(),
)

# Exceptions of the check `positive_data_acceptance`: the schema allows the value, but the service rejects it with 400.
REFUSALS = [
    # The built-in engines reject values that they can't honour, instead of ignoring them silently.
    Refusal(
        "the built-in engines that expand or edit images can't follow a prompt",
        {"POST /v1/ai/image-expand/{model}", "POST /v1/ai/{model}-image-edit"},
        r"leave (it|the prompt) empty$",
        lambda value, sent: value != "",
    ),
    Refusal(
        "the built-in engine composes pictures without a model: it has no LoRAs",
        {"POST /v1/ai/imagegen"},
        r"has no LoRAs: leave it out$",
        lambda value, sent: bool(value),
    ),
    Refusal(
        "the built-in engine makes the sounds that its recipes know, by English words",
        {"POST /v1/ai/sound-effects"},
        r"must name a sound that the built-in engine knows, in English: [a-z, ]+; an attached engine takes other texts$",
        lambda value, sent: "rain" not in value,
    ),
    Refusal(
        "the built-in engine finds icons by English words",
        {"POST /v1/ai/text-to-icon", "POST /v1/ai/text-to-icon/preview"},
        r"must name, in English, something that the [0-9]+ built-in icons show, such as bell, cat, house or rocket$",
        lambda value, sent: "house" not in value,
    ),
    Refusal(
        "the built-in engines make silent videos and can't extend a video",
        {"POST /v1/ai/text-to-video/{model}", "POST /v1/ai/image-to-video/{model}"},
        r"can't (use audio|extend a video)[:;] leave it out$",
        lambda value, sent: isinstance(value, str),
    ),
    Refusal(
        "the built-in engine takes no prompt, so it can't rewrite one",
        {"POST /v1/ai/{model}-image-edit"},
        r"has none to rewrite; use AUTO or OFF$",
        lambda value, sent: value == "ON",
    ),
    Refusal(
        "the built-in engine turns the camera by at most 60 degrees to either side",
        {"POST /v1/ai/image-change-camera"},
        r"can turn at most 60 degrees to either side; use 0 to 60 or 300 to 360$",
        lambda value, sent: 60 < value < 300,
    ),
    Refusal(
        "the built-in engine tilts the camera by at most 45 degrees",
        {"POST /v1/ai/image-change-camera"},
        r"can tilt at most 45 degrees; use -30 to 45$",
        lambda value, sent: value > 45,
    ),
    Refusal(
        "two of the targets need a model",
        {"POST /v1/ai/skin-enhancer/flexible"},
        r"needs a model, and the built-in engine has none$",
        lambda value, sent: value in ("no_make_up", "transform_to_real"),
    ),
    Refusal(
        "the schema allows every model name, but an engine has only some models",
        {"POST /v1/ai/voiceover"},
        r"must be one of vendor_turbo_v2_5, formant with the built-in engine$",
        lambda value, sent: value not in ("vendor_turbo_v2_5", "formant"),
    ),
    Refusal(
        "the schema allows any inputs, but an app defines its own",
        {"POST /v1/ai/apps/{app-id}/run"},
        r"^Parameter 'inputs\.",
        lambda value, sent: sent["inputs"] not in APP_INPUTS.values(),
    ),
    Refusal(
        "`style: deepObject` can't express an empty object: schemathesis writes `filters[psd]=`, which is a string",
        {"GET /v1/resources"},
        r"^Parameter 'filters.*' is not valid: must be keys in square brackets or an object in JSON$",
        lambda value, sent: value in ({}, ""),
    ),
]

USED: Counter[str] = Counter()


def excuse(failure: Any, case: Any, response: Any) -> list[str]:
    """Returns the reasons of the exceptions that apply to a failure; empty if it counts."""
    operation = case.operation.label
    if isinstance(failure, ServerError):
        return [NO_ENGINE.reason] if NO_ENGINE.excuses(operation, response) else []
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 400:
        return []
    sent = case.body if isinstance(case.body, dict) else case.query or {}
    reasons = []
    for violation in response.json()["invalid_params"]:
        reason = next((it.reason for it in REFUSALS if it.excuses(operation, violation, sent)), None)
        # One violation without an exception is enough.
        if reason is None:
            return []
        reasons.append(reason)
    return reasons


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Returns whether the failure counts."""
    reasons = excuse(failure, case, response)
    USED.update(reasons)
    return not reasons


@atexit.register
def report() -> None:
    print("\nExceptions (tests/conformance/exceptions.py), and how many times each was used:", file=sys.stderr)
    for reason in [NO_ENGINE.reason, *(refusal.reason for refusal in REFUSALS)]:
        print(f"{USED[reason]:7} {reason}", file=sys.stderr)
