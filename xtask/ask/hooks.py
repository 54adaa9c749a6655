"""What schemathesis sends to Ask-a-Human, made to reach further than chance would.

Every request comes from an address of its own, since addresses have limits; every answer from a person of its own; ids of questions are those of
questions that are there; and nobody waits longer than a second.
"""

import itertools
import json
import os
import random
import sys
import urllib.request
import uuid
from pathlib import Path

import schemathesis

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))

from ask_a_human import AskClient  # noqa: E402

SERVICE = os.environ["ASK_A_HUMAN_BASE_URL"]
CHANCE = random.Random(1)
WAITS = {str(seconds) for seconds in range(2, 31)}

_addresses = (f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in itertools.count(1))


def _ask_some() -> dict[str, bool]:
    """Questions, and whether they are choices."""
    client = AskClient()
    choice = {"type": "multiple_choice", "options": ["Yes", "No", "Perhaps"]}
    kinds = [{}, choice, {"audience": ["technical", "ethics"]}, {**choice, "audience": ["creative"]}]
    return {
        client.submit_question({"prompt": f"Is question {number} a good one?", "min_responses": 50, **kind})["question_id"]: "options" in kind
        for number in range(3)
        for kind in kinds
    }


QUESTIONS = _ask_some()


def _ask(path: str, token: str | None, body: object = None) -> dict:
    request = urllib.request.Request(SERVICE + path, data=None if body is None else json.dumps(body).encode())
    request.add_header("X-Forwarded-For", next(_addresses))
    request.add_header("Content-Type", "application/json")
    if token is not None:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def _is_id(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(uuid.UUID(value))
    except ValueError:
        return False


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    case.headers = case.headers if case.headers is not None else {}
    case.headers["X-Forwarded-For"] = next(_addresses)
    path, query = case.path_parameters or {}, case.query or {}
    if _is_id(path.get("question_id")) and CHANCE.random() < 0.7:
        path["question_id"] = CHANCE.choice(list(QUESTIONS))
    if str(query.get("wait")) in WAITS:
        query["wait"] = type(query["wait"])(1)
    if case.operation.label == "POST /human/responses" and isinstance(case.body, dict):
        _as_somebody_new(case)


def _as_somebody_new(case) -> None:
    """Unless the request is to be one of nobody. One that is to be a good one answers a question as it asks."""
    if not any(name.lower() == "authorization" for name in case.headers):
        return
    token = _ask("/human/people", None, {})["token"]
    case.headers["Authorization"] = f"Bearer {token}"
    if not case.meta.generation.mode.is_positive or CHANCE.random() < 0.3:
        return
    question, is_choice = CHANCE.choice(list(QUESTIONS.items()))
    case.body["question_id"] = question
    case.body["opened"] = _ask(f"/human/questions/{question}", token)["opened"]
    case.body.pop("time_zone", None)
    if is_choice:
        case.body["selected_option"] = CHANCE.randrange(3)
        case.body.pop("answer", None)
    else:
        case.body["answer"] = case.body.get("answer") or "Because."
        case.body.pop("selected_option", None)
