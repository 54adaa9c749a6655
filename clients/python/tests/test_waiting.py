"""Waiting, on a clock that tests hold."""

from __future__ import annotations

import math
import unittest
from collections.abc import Callable
from typing import cast

from ask_a_human import AnsweredQuestion, NotFoundError, RateLimitError, ServerError, Status
from ask_a_human.waiting import Waiting, until_over


def question(status: Status, responses: int) -> AnsweredQuestion:
    return cast(AnsweredQuestion, {"status": status, "current_responses": responses})


OPEN = question("OPEN", 0)

Event = tuple[float, AnsweredQuestion]


class Service:
    """A service in which these things come at these times, and what was asked of it: when, and how long it was to wait."""

    def __init__(
        self,
        events: list[Event],
        failing: Callable[[float], Exception | None] = lambda time: None,
        gateway: float = math.inf,
    ) -> None:
        self.events = events
        self.gateway = gateway
        self.failing = failing
        self.time = 0.0
        self.looks: list[tuple[float, int]] = []

    def at(self, moment: float) -> AnsweredQuestion:
        return next((what for comes, what in reversed(self.events) if comes <= moment), OPEN)

    def read(self, wait: int) -> AnsweredQuestion:
        self.looks.append((self.time, wait))
        if failure := self.failing(self.time):
            raise failure
        if wait >= self.gateway:
            # Each is sent four times.
            self.time += 4 * self.gateway
            raise ServerError("the gateway has waited long enough")
        if self.at(self.time)["status"] != "CLOSED":
            coming = (comes for comes, _ in self.events if self.time < comes <= self.time + wait)
            self.time = next(coming, self.time + wait)
        return self.at(self.time)

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.time += seconds

    def wait(self, waiting: Waiting = Waiting(), start: AnsweredQuestion | None = OPEN) -> AnsweredQuestion:
        return until_over(start, self.read, waiting, now=lambda: self.time, sleep=self.sleep)


class WaitingTest(unittest.TestCase):
    def test_looks_are_further_and_further_apart_and_each_waits_in_the_service(self) -> None:
        service = Service([(2000, question("CLOSED", 1))])
        self.assertEqual(service.wait()["status"], "CLOSED")
        # 30, 45, 67.5 … 300 seconds from one to the next, of which the last 30 are waited for in the service.
        expected = [0, 45, 112.5, 213.75, 365.625, 593.4375, 893.4375, 1193.4375, 1493.4375, 1793.4375]
        self.assertEqual([time for time, _ in service.looks][:10], expected)
        self.assertTrue(all(held == 30 for _, held in service.looks))

    def test_what_comes_while_a_look_waits_is_seen_at_once_and_the_next_looks_are_close_again(self) -> None:
        service = Service([(120, question("PARTIAL", 1)), (125, question("PARTIAL", 2)), (130, question("CLOSED", 3))])
        self.assertEqual(service.wait()["current_responses"], 3)
        self.assertEqual(service.time, 130)
        self.assertEqual(service.looks[-3:], [(112.5, 30), (120, 30), (125, 30)])

    def test_after_the_timeout_the_question_is_given_as_it_is_then(self) -> None:
        for timeout in [0.5, 10, 31, 100.25, 400]:
            service = Service([(timeout - 0.25, question("PARTIAL", 1))])
            self.assertEqual(service.wait(Waiting(timeout))["status"], "PARTIAL", timeout)
            self.assertEqual(service.time, timeout)
            self.assertLessEqual(len(service.looks), 7)

    def test_without_long_polls_every_look_is_a_short_one(self) -> None:
        service = Service([(100, question("CLOSED", 1))])
        service.wait(Waiting(interval=10, factor=2, longest=40, long_poll=False))
        self.assertEqual(service.looks, [(10, 0), (30, 0), (70, 0), (110, 0)])

    def test_a_service_that_is_away_for_a_while_is_waited_for_and_one_that_stays_away_is_told(self) -> None:
        def away(until: float) -> Callable[[float], Exception | None]:
            return lambda time: ServerError("away") if time < until else None

        closes: list[Event] = [(50, question("CLOSED", 1))]
        self.assertEqual(Service(closes, away(200)).wait()["status"], "CLOSED")
        with self.assertRaises(ServerError):
            Service(closes, away(math.inf)).wait()
        self.assertEqual(Service(closes, away(math.inf)).wait(Waiting(60)), OPEN)

    def test_who_is_less_patient_than_a_look_ends_nothing(self) -> None:
        service = Service([(7000, question("CLOSED", 1))], gateway=29)
        self.assertEqual(service.wait(Waiting(3600)), OPEN)
        self.assertEqual(service.time, 3600)
        self.assertEqual([held for _, held in service.looks if held >= 29], [30])
        self.assertTrue(any(held == 15 for _, held in service.looks))

    def test_a_limit_is_respected_and_what_is_wrong_for_good_is_told_at_once(self) -> None:
        service = Service(
            [(50, question("CLOSED", 1))], lambda time: RateLimitError("too often", 500) if time < 500 else None
        )
        self.assertEqual(service.wait()["status"], "CLOSED")
        self.assertEqual([time for time, _ in service.looks], [0, 500])
        with self.assertRaises(NotFoundError):
            Service([], lambda time: NotFoundError("gone")).wait()

    def test_the_first_look_is_one_as_any_other_if_there_is_time(self) -> None:
        closes: list[Event] = [(50, question("CLOSED", 1))]

        def limited(time: float) -> Exception | None:
            return RateLimitError("too often", 500) if time < 500 else None

        service = Service(closes, limited)
        self.assertEqual(service.wait(start=None)["status"], "CLOSED")
        self.assertEqual([time for time, _ in service.looks], [0, 500])

        def away(time: float) -> Exception | None:
            return ServerError("away") if time < 100 else None

        self.assertEqual(Service(closes, away).wait(start=None)["status"], "CLOSED")
        # Where there is none, nobody is kept waiting for what cannot come.
        for failing, error in [(limited, RateLimitError), (away, ServerError)]:
            service = Service(closes, failing)
            with self.assertRaises(error):
                service.wait(Waiting(20), start=None)
            self.assertEqual((service.time, service.looks), (0, [(0, 0)]))
        with self.assertRaises(NotFoundError):
            Service([], lambda time: NotFoundError("gone")).wait(start=None)


if __name__ == "__main__":
    unittest.main()
