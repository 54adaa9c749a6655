"""A client of Ask-a-Human: software puts questions to people, and waits for their answers."""

from .client import AskClient
from .errors import (
    AskError,
    AuthenticationError,
    NotFoundError,
    QuotaError,
    RateLimitError,
    ServerError,
    ValidationError,
)
from .types import (
    Answer,
    AnsweredQuestion,
    Asked,
    Audience,
    NewQuestion,
    Problem,
    Question,
    QuestionPage,
    QuestionType,
    Status,
    Votes,
    accepted_answers,
    is_over,
)

__all__ = [
    "Answer",
    "AnsweredQuestion",
    "AskClient",
    "AskError",
    "Asked",
    "Audience",
    "AuthenticationError",
    "NewQuestion",
    "NotFoundError",
    "Problem",
    "Question",
    "QuestionPage",
    "QuestionType",
    "QuotaError",
    "RateLimitError",
    "ServerError",
    "Status",
    "ValidationError",
    "Votes",
    "accepted_answers",
    "is_over",
]
