"""An agent that asks people."""

from __future__ import annotations

import http.client
import json
import math
import os
import queue
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import IO, cast

from .errors import AskError, AuthenticationError, ServerError, error_of
from .types import AnsweredQuestion, Asked, NewQuestion, Question, QuestionPage, Status
from .waiting import Waiting, until_over

_PATIENCE = 15
"""For how many seconds an answer is waited for, besides what was asked for."""

_GRACE = 3
"""For how many seconds past a deadline an answer may still be on its way."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key goes nowhere else."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        return None


class AskClient:
    """An agent that asks people.

    `base_url` is the variable `ASK_A_HUMAN_BASE_URL`, or `http://127.0.0.1:8083`, and `key` the variable `ASK_A_HUMAN_KEY`, unless given. A request that got
    no answer, or one that says the service failed, is sent `retries` times again.
    """

    def __init__(self, base_url: str | None = None, key: str | None = None, *, retries: int = 3) -> None:
        base_url = base_url or os.environ.get("ASK_A_HUMAN_BASE_URL") or "http://127.0.0.1:8083"
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"{base_url} does not begin with http:// or https://")
        key = key or os.environ.get("ASK_A_HUMAN_KEY")
        if key is None:
            raise AuthenticationError("there is no key of an agent: give `key`, or set ASK_A_HUMAN_KEY")
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._retries = retries
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __repr__(self) -> str:
        return f"AskClient({self._base_url!r})"

    def submit_question(self, question: NewQuestion, *, idempotency_key: str | None = None) -> Asked:
        """Asks people.

        It goes along with an idempotency key, so that it is asked once however often it had to be sent. Give a key of your own to be able to ask again
        after your program has ended.
        """
        return self._submit(question, idempotency_key, math.inf)

    def get_question(self, question_id: str, *, wait: int = 0) -> AnsweredQuestion:
        """A question with the answers it has.

        With `wait` it comes when something is new, and after so many seconds (1 to 30) at the latest.
        """
        return self._look(question_id, wait, math.inf)

    def list_questions(
        self, *, status: Status | None = None, limit: int | None = None, cursor: str | None = None
    ) -> QuestionPage:
        """A page of the agent's questions, the newest first."""
        given = {"status": status, "limit": limit, "cursor": cursor}
        query = urllib.parse.urlencode({name: value for name, value in given.items() if value is not None})
        return cast(QuestionPage, self._send(f"/agent/questions?{query}"))

    def all_questions(self, *, status: Status | None = None) -> Iterator[Question]:
        """All of the agent's questions, the newest first, page by page as they are needed."""
        page = self.list_questions(status=status, limit=100)
        yield from page["items"]
        while cursor := page.get("next_cursor"):
            page = self.list_questions(status=status, limit=100, cursor=cursor)
            yield from page["items"]

    def await_responses(
        self,
        question_id: str,
        *,
        timeout: float = math.inf,
        interval: float = 30.0,
        factor: float = 1.5,
        longest: float = 300.0,
        long_poll: bool = True,
    ) -> AnsweredQuestion:
        """The question when it is over, or as it is after `timeout` seconds, with the answers it has by then. An answer that is on its way has 3 seconds more.

        From the beginning of one look to that of the next it is `interval` seconds at first and after something new has come, and then `factor` times as long
        each time, up to `longest`. A look waits in the service, up to 30 seconds, so that what comes meanwhile is seen at once, unless `long_poll` is false.

        What goes wrong for good, or for longer than there is time when nothing was seen yet, is an `AskError` with the `question_id`.
        """
        waiting, deadline = Waiting(timeout, interval, factor, longest, long_poll), time.monotonic() + timeout
        try:
            return until_over(None, lambda wait: self._look(question_id, wait, deadline), waiting)
        except AskError as error:
            error.question_id = question_id
            raise

    def submit_and_wait(
        self,
        question: NewQuestion,
        *,
        idempotency_key: str | None = None,
        timeout: float = math.inf,
        interval: float = 30.0,
        factor: float = 1.5,
        longest: float = 300.0,
        long_poll: bool = True,
    ) -> AnsweredQuestion:
        """Asks, and waits: `submit_question` and `await_responses`, within `timeout` together. An error that has a `question_id` came after it was asked."""
        deadline = time.monotonic() + timeout
        asked = self._submit(question, idempotency_key, deadline)
        return self.await_responses(
            asked["question_id"],
            timeout=max(0.0, deadline - time.monotonic()),
            interval=interval,
            factor=factor,
            longest=longest,
            long_poll=long_poll,
        )

    def _submit(self, question: NewQuestion, idempotency_key: str | None, deadline: float) -> Asked:
        headers = {"Content-Type": "application/json", "Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        body = json.dumps(question).encode()
        return cast(Asked, self._send("/agent/questions", headers=headers, body=body, deadline=deadline))

    def _look(self, question_id: str, wait: int, deadline: float) -> AnsweredQuestion:
        path = f"/agent/questions/{urllib.parse.quote(question_id, safe='')}"
        query = f"?wait={wait}" if wait else ""
        return cast(AnsweredQuestion, self._send(path + query, wait=wait, deadline=deadline))

    def _send(
        self,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        wait: int = 0,
        deadline: float = math.inf,
    ) -> object:
        """Sends it until there is an answer that is not the service's failure, or the deadline has come."""
        request = urllib.request.Request(self._base_url + path, data=body, headers=dict(headers or {}))
        request.add_header("Accept", "application/json")
        request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        tried = 0
        while True:
            left = max(0.0, deadline - time.monotonic())
            pause = 0.5 * 2**tried
            try:
                return self._send_once(request, min(wait + _PATIENCE, left + _GRACE))
            except ServerError:
                if tried >= self._retries or time.monotonic() + pause >= deadline:
                    raise
            time.sleep(pause)
            tried += 1

    def _send_once(self, request: urllib.request.Request, patience: float) -> object:
        def answer() -> bytes:
            try:
                with self._opener.open(request, timeout=patience) as response:
                    return cast(bytes, response.read())
            except urllib.error.HTTPError as refused:
                with refused:
                    raise _refusal(refused) from None

        try:
            text = _within(patience, answer)
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(f"{self._base_url} does not answer: {error}") from error
        try:
            return json.loads(text)
        except ValueError as error:
            raise ServerError(f"what {self._base_url} answers is not JSON") from error


def _within(seconds: float, do: Callable[[], bytes]) -> bytes:
    """What this gives, if it does so in time. The time-out of a socket is not enough: it begins anew with every piece of an answer."""
    outcome: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            outcome.put(do())
        except Exception as error:
            outcome.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        given = outcome.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError("timed out") from None
    if isinstance(given, Exception):
        raise given
    return given


def _refusal(refused: urllib.error.HTTPError) -> AskError:
    try:
        body = refused.read()
    except (OSError, http.client.HTTPException):
        body = b""
    return error_of(refused.code, refused.headers, body)
