"""What is not held against the service: failures of single checks, one by one, each with its reason.

Nothing else is excused: a failure goes away only where the operation, the answer and what was sent are those of an
exception. `tell` says how often each was needed.
"""

from __future__ import annotations

import atexit
import re
import sys
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
    """The documented 503 of these operations: it is permanent and names no time to come back."""

    reason: str
    operations: set[str]

    def excuses(self, operation: str, answer: Any) -> bool:
        body = {"message": "no engine configured", "permanent": True}
        return (
            operation in self.operations
            and answer.status_code == 503
            and answer.json() == body
            and "retry-after" not in answer.headers
        )


@dataclass(frozen=True)
class Refusal:
    """A violation in a 400: its wording, and that what was sent (the value, the whole input) is what the reason says."""

    reason: str
    # Empty: all.
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
    """The value that a violation names: `styling.styles[0].id`, `filters[psd]`."""
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


# Of the check `not_a_server_error`.
NO_ENGINE = NoEngine(
    "a family that only a model can serve has no engine in a fresh installation",
    {
        "POST /v1/ai/reference-to-video/{model}",
        "POST /v1/ai/lip-sync/{model}",
        "POST /v1/ai/lip-sync/{model}-fast",
        "POST /v1/ai/video-upscaler",
        "POST /v1/ai/video-upscaler/turbo",
        "POST /v1/ai/video-upscaler-precision",
        "POST /v1/ai/video/{model}-pro",
        "POST /v1/ai/video/{model}-std",
        "POST /v1/ai/video/{model}-motion-control-pro",
        "POST /v1/ai/video/{model}-motion-control-std",
        "POST /v1/ai/{model}-image-preview",
    },
)

# Of the check `positive_data_acceptance`: the schema allows what is sent, and the service refuses it with 400.
REFUSALS = [
    # What the built-in engines can't do, and refuse instead of dropping it in silence.
    Refusal(
        "the built-in engines that continue or remove can't paint what a prompt says",
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
        "the built-in engines make silent videos, and from stills",
        {"POST /v1/ai/text-to-video/{model}", "POST /v1/ai/image-to-video/{model}"},
        r"can't (use audio|extend a video)[:;] leave it out$",
        lambda value, sent: isinstance(value, str),
    ),
    Refusal(
        "an engine without a prompt has none to rewrite",
        {"POST /v1/ai/{model}-image-edit"},
        r"has none to rewrite; use AUTO or OFF$",
        lambda value, sent: value == "ON",
    ),
    Refusal(
        "the built-in camera sees a flat picture, from at most 60 degrees to either side",
        {"POST /v1/ai/image-change-camera"},
        r"can turn at most 60 degrees to either side; use 0 to 60 or 300 to 360$",
        lambda value, sent: 60 < value < 300,
    ),
    Refusal(
        "the built-in camera sees a flat picture, from at most 45 degrees above or below",
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
        "which languages are served depends on the engine: the schema takes every code",
        {"POST /v1/ai/improve-prompt"},
        r"must be one of en, es, fr, de, pt, it with the built-in engine$",
        lambda value, sent: value not in ("en", "es", "fr", "de", "pt", "it"),
    ),
    Refusal(
        "which speech models are served depends on the engine: the schema is a string",
        {"POST /v1/ai/voiceover"},
        r"must be one of vendor_turbo_v2_5, formant with the built-in engine$",
        lambda value, sent: value not in ("vendor_turbo_v2_5", "formant"),
    ),
    Refusal(
        "which inputs a workflow app has is told by its description; the schema is an open map",
        {"POST /v1/ai/apps/{app-id}/run"},
        r"^Parameter 'inputs\.",
        lambda value, sent: sent["inputs"] not in APP_INPUTS.values(),
    ),
    Refusal(
        "`style: deepObject` can't write an empty object: schemathesis writes `filters[psd]=`, which is a text",
        {"GET /v1/resources"},
        r"^Parameter 'filter' is not valid$",
        lambda value, sent: value in ({}, ""),
    ),
]

USED: Counter[str] = Counter()


def excuse(failure: Any, case: Any, answer: Any) -> list[str]:
    """The reasons for which a failure is excused; none if it is not."""
    operation = case.operation.label
    if isinstance(failure, ServerError):
        return [NO_ENGINE.reason] if NO_ENGINE.excuses(operation, answer) else []
    if not isinstance(failure, RejectedPositiveData) or answer.status_code != 400:
        return []
    sent = case.body if isinstance(case.body, dict) else case.query or {}
    reasons = []
    for violation in answer.json()["invalid_params"]:
        reason = next((it.reason for it in REFUSALS if it.excuses(operation, violation, sent)), None)
        # One violation that is not excused is enough.
        if reason is None:
            return []
        reasons.append(reason)
    return reasons


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Whether it is a failure."""
    reasons = excuse(failure, case, response)
    USED.update(reasons)
    return not reasons


@atexit.register
def tell() -> None:
    print("\nExceptions (tests/conformance/exceptions.py), and how often they were needed:", file=sys.stderr)
    for reason in [NO_ENGINE.reason, *(refusal.reason for refusal in REFUSALS)]:
        print(f"{USED[reason]:7} {reason}", file=sys.stderr)
