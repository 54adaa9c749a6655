"""What goes wrong. Each kind has a class of its own."""

from __future__ import annotations

import json
from email.message import Message
from typing import cast

from .types import Problem


class AskError(Exception):
    """What went wrong. `status` is that of the answer, or nothing when there was none; `problem` is what the service says about it.

    `question_id` is that of the question which was waited for: it was asked, and can be waited for again.
    """

    def __init__(self, message: str, status: int | None = None, problem: Problem | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem
        self.question_id: str | None = None


class ValidationError(AskError):
    """A value is not allowed; `problem["errors"]` names each field and the reason. Nothing was asked."""


class AuthenticationError(AskError):
    """The key of the agent is missing, not known or revoked, or may not do this."""


class NotFoundError(AskError):
    """There is no such question, or it is another agent's."""


class QuotaError(AskError):
    """The agent has as many open questions as it may have. Nothing was asked."""


class RateLimitError(AskError):
    """The agent asks or reads too often. In `retry_after` seconds it may again."""

    def __init__(
        self, message: str, retry_after: float, status: int | None = None, problem: Problem | None = None
    ) -> None:
        super().__init__(message, status, problem)
        self.retry_after = retry_after


class ServerError(AskError):
    """The service failed, is away, or is none, or too many asked at once. It was tried again, and may be later."""


_OF_STATUS: dict[int, type[AskError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: AuthenticationError,
    404: NotFoundError,
    408: ServerError,
    413: ValidationError,
    414: ValidationError,
    415: ValidationError,
    422: ValidationError,
    431: ValidationError,
}


def error_of(status: int, headers: Message, body: bytes) -> AskError:
    """The error an answer stands for."""
    problem = _problem_of(headers, body)
    message = f"the service answered with status {status}" if problem is None else _in_words(problem)
    if status == 429:
        return RateLimitError(message, _seconds(headers.get("Retry-After")), status, problem)
    if status == 403 and problem is not None and problem["type"] == "/problems/quota-exceeded":
        return QuotaError(message, status, problem)
    if status == 409 and problem is not None and problem["type"] == "/problems/conflict":
        return ServerError(message, status, problem)
    kind = ServerError if status >= 500 else _OF_STATUS.get(status, AskError)
    return kind(message, status, problem)


def _problem_of(headers: Message, body: bytes) -> Problem | None:
    if not (headers.get("Content-Type") or "").startswith("application/problem+json"):
        return None
    try:
        return cast(Problem, json.loads(body))
    except ValueError:
        return None


def _in_words(problem: Problem) -> str:
    faults = [f"{fault['field']}: {fault['reason']}" for fault in problem.get("errors", [])]
    return "; ".join(part for part in [problem["title"], problem.get("detail"), *faults] if part)


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.isdecimal() and int(text) > 0 else 60.0
