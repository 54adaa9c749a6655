"""What is sent and read. A test holds these types against the description of the service."""

from __future__ import annotations

from typing import Literal, TypedDict

Audience = Literal["technical", "product", "ethics", "creative", "general"]
QuestionType = Literal["text", "multiple_choice"]
Status = Literal["OPEN", "PARTIAL", "CLOSED", "EXPIRED"]
Review = Literal["pending", "approved", "rejected", "banned"]


class _Asks(TypedDict):
    prompt: str


class NewQuestion(_Asks, total=False):
    """What an agent wants to know: `prompt`, and what else it likes to say."""

    type: QuestionType
    options: list[str] | None
    audience: list[Audience]
    min_responses: int
    timeout_seconds: int


class Asked(TypedDict):
    """A question that was asked just now."""

    question_id: str
    status: Status
    poll_url: str
    expires_at: str
    created_at: str


class Question(TypedDict):
    """A question, without its answers."""

    question_id: str
    status: Status
    prompt: str
    type: QuestionType
    options: list[str] | None
    audience: list[Audience]
    required_responses: int
    current_responses: int
    created_at: str
    expires_at: str
    closed_at: str | None


class Answer(TypedDict):
    """What somebody answered."""

    response_id: str
    answer: str | None
    selected_option: int | None
    confidence: int | None
    created_at: str
    review: Review | None


class Votes(TypedDict):
    """How many chose an option."""

    option: int
    text: str
    votes: int
    share: float


class AnsweredQuestion(Question):
    """A question with its answers."""

    responses: list[Answer]
    summary: list[Votes] | None


class QuestionPage(TypedDict):
    """A page of an agent's questions."""

    items: list[Question]
    next_cursor: str | None


class FieldError(TypedDict):
    """What is wrong with one value."""

    field: str
    reason: str


class _Problem(TypedDict):
    type: str
    title: str
    status: int


class Problem(_Problem, total=False):
    """What the service says is wrong."""

    detail: str | None
    errors: list[FieldError]
    request_id: str | None


def is_over(question: Question) -> bool:
    """Whether no more answers come."""
    return question["status"] in ("CLOSED", "EXPIRED")


def accepted_answers(question: AnsweredQuestion) -> list[Answer]:
    """The answers to a question, without those an admin has rejected."""
    return [answer for answer in question["responses"] if answer["review"] not in ("rejected", "banned")]
