"""Waiting until a question is over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from .errors import RateLimitError, ServerError
from .types import AnsweredQuestion, is_over

LONG_POLL = 30
"""For how many seconds the service holds a request at most."""

FAILURES = 5
"""So many looks in a row may fail."""


@dataclass(frozen=True)
class Waiting:
    """How to wait, in seconds."""

    timeout: float = math.inf
    interval: float = 30.0
    factor: float = 1.5
    longest: float = 300.0
    long_poll: bool = True


def until_over(
    start: AnsweredQuestion | None,
    read: Callable[[int], AnsweredQuestion],
    waiting: Waiting,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> AnsweredQuestion:
    """The question when it is over, or as it is after the timeout. Nothing need be known of it before.

    Each round is a pause and a look, which may wait in the service: together they take as long as the back-off says, and the first has no pause. A look that
    failed may have waited for longer than somebody between here and the service does: those after it wait half as long.
    """
    deadline = now() + waiting.timeout
    known = _first_look(read, waiting, deadline, now, sleep) if start is None else start
    delay, failures, at_least = waiting.interval, 0, 0.0
    hold = LONG_POLL if waiting.long_poll else 0
    while not is_over(known) and (left := deadline - now()) > 0:
        round_ = min(delay, left)
        held = math.floor(min(hold, round_))
        pause = max(round_ - held, min(at_least, left))
        if pause > 0:
            sleep(pause)
        delay = min(delay * waiting.factor, waiting.longest)
        try:
            found = read(max(0, math.floor(min(held, deadline - now()))))
        except (RateLimitError, ServerError) as error:
            failures += 1
            at_least = _patience_for(error, failures, delay)
            if isinstance(error, ServerError):
                hold = min(hold, held // 2)
        else:
            if (found["current_responses"], found["status"]) != (known["current_responses"], known["status"]):
                delay = waiting.interval
            known, failures, at_least = found, 0, 0.0
    return known


def _first_look(
    read: Callable[[int], AnsweredQuestion],
    waiting: Waiting,
    deadline: float,
    now: Callable[[], float],
    sleep: Callable[[float], None],
) -> AnsweredQuestion:
    """The question as it is. What passes before the deadline is waited for; else there is nothing to give, and the error is raised."""
    delay, failures = waiting.interval, 0
    while True:
        try:
            return read(0)
        except (RateLimitError, ServerError) as error:
            failures += 1
            pause = _patience_for(error, failures, delay)
            if pause >= deadline - now():
                raise
        sleep(pause)
        delay = min(delay * waiting.factor, waiting.longest)


def _patience_for(error: RateLimitError | ServerError, failures: int, delay: float) -> float:
    """For how many seconds to leave the service alone after a failure; what does not pass is raised."""
    if isinstance(error, RateLimitError):
        return error.retry_after
    if failures <= FAILURES:
        return delay
    raise error
