"""What schemathesis sends to the To-Do API, made to reach further than chance would.

Some tasks are there before it begins. Of the requests it makes up that are to be good ones, some lists are asked for as people ask, one
filter or one order at a time; ids are those of tasks that are there; and every key of a request is its own.
"""

import itertools
import json
import os
import random
import urllib.request

import requests.auth
import schemathesis

SERVICE = os.environ["TODO_URL"]
TOKEN = os.environ["TODO_TOKEN"]
CHANCE = random.Random(1)

_keys = (f"key-{number}" for number in itertools.count(1))


def _ask(path: str, body: object) -> dict:
    request = urllib.request.Request(f"{SERVICE}/api/v1{path}", data=json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    request.add_header("Authorization", f"Bearer {TOKEN}")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def _write(number: int) -> str:
    """A task; its id."""
    task = {
        "title": f"Task {number}",
        "status": ["pending", "in_progress", "completed", "cancelled"][number % 4],
        "priority": ["low", "medium", "high", "urgent", None][number % 5],
        "category": ["home", "work", None][number % 3],
        "due_date": ["2024-05-01", "2030-05-01", None][number % 3],
    }
    return _ask("/tasks", task)["task_id"]


TASKS = [_write(number) for number in range(20)]

# As they stand in an address: a list of the model for each, and some that are made of several at once.
LISTS = itertools.cycle(
    [
        {},
        {"fields": "title,status"},
        {"has_due_date": "false"},
        {"status": "completed"},
        {"status": "pending,cancelled", "sort": "status"},
        {"sort": "status"},
        {"priority": "urgent"},
        {"sort": "priority"},
        {"priority": "low,high", "sort": "priority", "status": "pending"},
        {"category": "home"},
        {"sort": "category"},
        {"due_on": "2030-05-01"},
        {"due_from": "2024-01-01", "due_to": "2030-12-31"},
        {"has_due_date": "true"},
        {"overdue": "true"},
        {"ids": ",".join(TASKS[:3])},
        {"ids": ",".join(TASKS[3:9]), "status": "pending,completed"},
    ]
)
ALSO = ("order", "tz")


class Asked(requests.auth.AuthBase):
    """What a request asks for, put into its address last: schemathesis takes several values in one text for a mistake."""

    def __init__(self, query: dict) -> None:
        self.query = query

    def __call__(self, request):
        request.prepare_url(request.url.partition("?")[0], self.query)
        return request


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    headers, path = case.headers or {}, case.path_parameters or {}
    for name in headers:
        if name.lower() == "idempotency-key":
            headers[name] = next(_keys)
        if name.lower() == "if-match" and CHANCE.random() < 0.7:
            headers[name] = "*"
        if name.lower() == "if-none-match" and CHANCE.random() < 0.7:
            headers[name] = '"1"'
    # Others may have been deleted meanwhile.
    if "task_id" in path and CHANCE.random() < 0.7:
        path["task_id"] = _write(CHANCE.randrange(60))
    if case.operation.label == "GET /api/v1/tasks" and CHANCE.random() < 0.8:
        made_up = {name: value for name, value in (case.query or {}).items() if name in ALSO}
        asked = next(LISTS)
        # Ids are asked for alone, so that they come in their own order.
        query = asked if "ids" in asked else {**made_up, **asked}
        if "tz" in query:
            query["tz"] = "Europe/Berlin"
        case.query = {}
        kwargs["auth"] = Asked(query)
    if case.operation.label == "POST /api/v1/tasks/bulk/status" and isinstance(case.body, dict) and CHANCE.random() < 0.7:
        which = CHANCE.choice([{"ids": CHANCE.sample(TASKS, 3)}, {"filter": {"status": ["pending"]}}, {"filter": {"overdue": True}}])
        case.body = {"status": case.body.get("status"), **which}
    if case.operation.label == "GET /api/v1/tasks/search" and CHANCE.random() < 0.5:
        case.query = {"q": "task"}
