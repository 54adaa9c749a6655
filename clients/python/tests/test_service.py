"""Against a service that runs: ASK_A_HUMAN_BASE_URL and ASK_A_HUMAN_KEY, and the key of an agent with narrow quotas."""

from __future__ import annotations

import http.client
import http.server
import os
import threading
import unittest
import urllib.parse
import uuid

from ask_a_human import (
    AskClient,
    AuthenticationError,
    NewQuestion,
    NotFoundError,
    QuotaError,
    RateLimitError,
    ServerError,
    ValidationError,
    accepted_answers,
    is_over,
)
from examples.fire_and_continue import opinions_on_a_name
from examples.several_turns import slogan
from examples.wait_with_a_timeout import may_be_deleted
from tests.people import answer_when_asked, answers, meanwhile

BRIDGE: NewQuestion = {"prompt": "Would you cross this bridge on foot?"}


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = AskClient()

    def test_a_question_is_asked_read_and_listed(self) -> None:
        asked = self.client.submit_question(
            {**BRIDGE, "type": "multiple_choice", "options": ["Yes", "No"], "min_responses": 2}
        )
        self.assertEqual(asked["status"], "OPEN")
        question = self.client.get_question(asked["question_id"])
        self.assertEqual(question["prompt"], BRIDGE["prompt"])
        self.assertEqual([option["votes"] for option in question["summary"] or []], [0, 0])
        self.assertFalse(is_over(question))
        ids = [question["question_id"] for question in self.client.all_questions(status="OPEN")]
        self.assertIn(asked["question_id"], ids)
        self.assertEqual(len(self.client.list_questions(limit=1)["items"]), 1)

    def test_whoever_waits_has_the_answers_as_soon_as_all_are_there(self) -> None:
        people = meanwhile(
            self.client, "safest", [{"answer": "The one of stone.", "confidence": 5}, {"answer": "None of them is."}]
        )
        answered = self.client.submit_and_wait(
            {"prompt": "Which of these bridges is safest?", "min_responses": 2}, timeout=60
        )
        people.join()
        self.assertEqual(answered["status"], "CLOSED")
        texts = [answer["answer"] for answer in accepted_answers(answered)]
        self.assertEqual(texts, ["The one of stone.", "None of them is."])
        self.assertEqual(answered["responses"][0]["confidence"], 5)

    def test_after_the_timeout_there_is_what_has_come_by_then(self) -> None:
        asked = self.client.submit_question({**BRIDGE, "min_responses": 2})
        answers(asked["question_id"], {"answer": "Only in company."})
        partial = self.client.await_responses(asked["question_id"], timeout=1)
        self.assertEqual(partial["status"], "PARTIAL")
        self.assertEqual(len(partial["responses"]), 1)

    def test_what_is_wrong_has_a_class_of_its_own(self) -> None:
        with self.assertRaises(ValidationError) as refused:
            self.client.submit_question({"prompt": "Why?"})
        self.assertEqual(refused.exception.status, 422)
        problem = refused.exception.problem
        assert problem is not None
        self.assertEqual(problem["errors"][0]["field"], "prompt")
        self.assertIn("prompt: ", str(refused.exception))
        for question_id in ["no-id", "../../openapi.json"]:
            with self.assertRaises(ValidationError):
                self.client.get_question(question_id)
        with self.assertRaises(NotFoundError):
            self.client.get_question("01a1dfe5-1dcc-7003-9564-d9f0c3f5af45")
        with self.assertRaises(AuthenticationError):
            AskClient(key="aah_wrong").list_questions()

        narrow = AskClient(key=os.environ["ASK_TEST_NARROW_KEY"])
        question_id = narrow.submit_question(BRIDGE)["question_id"]
        with self.assertRaises(QuotaError):
            narrow.submit_question(BRIDGE)
        narrow.get_question(question_id)
        with self.assertRaises(RateLimitError) as limited:
            narrow.get_question(question_id)
        self.assertTrue(1 <= limited.exception.retry_after <= 3600, limited.exception.retry_after)
        # It knows nothing of its question, so there is nothing to give after the timeout; but which question it was is not lost.
        with self.assertRaises(RateLimitError) as waited:
            narrow.await_responses(question_id, timeout=1)
        self.assertEqual(waited.exception.question_id, question_id)
        self.assertIsNone(limited.exception.question_id)

    # S2-21
    def test_a_question_whose_answer_was_lost_is_asked_once(self) -> None:
        prompt = "Was this question asked more than once?"
        with _Lossy() as lossy:
            asked = AskClient(lossy.address).submit_question({"prompt": prompt})
            self.assertEqual(lossy.lost, 2)
        found = [question for question in self.client.all_questions() if question["prompt"] == prompt]
        self.assertEqual([question["question_id"] for question in found], [asked["question_id"]])
        with self.assertRaises(ServerError) as away:
            AskClient(lossy.address, retries=1).list_questions()
        self.assertIsNone(away.exception.status)

    def test_the_same_key_asks_once_also_of_another_client(self) -> None:
        key = str(uuid.uuid4())
        first = self.client.submit_question(BRIDGE, idempotency_key=key)
        self.assertEqual(AskClient().submit_question(BRIDGE, idempotency_key=key), first)
        with self.assertRaises(ValidationError):
            self.client.submit_question({"prompt": "Would you cross it in the dark?"}, idempotency_key=key)

    def test_the_key_is_not_shown(self) -> None:
        self.assertNotIn("aah_", repr(self.client))

    def test_fire_and_continue(self) -> None:
        def work() -> None:
            answer_when_asked(self.client, "Nimbus", [{"answer": "It sounds like rain."}])

        self.assertEqual(opinions_on_a_name(self.client, work), ["It sounds like rain."])

    def test_wait_with_a_timeout(self) -> None:
        people = meanwhile(self.client, "old_orders", [{"selected_option": 0}, {"selected_option": 0}])
        self.assertTrue(may_be_deleted(self.client, "old_orders"))
        people.join()

    def test_several_turns(self) -> None:
        proposals = [{"answer": "Read till dawn."}, {"answer": "Books\nnever sleep."}]
        propose = meanwhile(self.client, "Propose a slogan", list(proposals))
        vote = meanwhile(self.client, "Which slogan", [{"selected_option": 1}, {"selected_option": 1}])
        self.assertEqual(slogan(self.client), "Books never sleep.")
        propose.join()
        vote.join()


class _Lossy:
    """A way to the service on which the first two answers are lost."""

    def __init__(self) -> None:
        self.lost = 0
        lossy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service = urllib.parse.urlsplit(os.environ["ASK_A_HUMAN_BASE_URL"]).netloc
                connection = http.client.HTTPConnection(service, timeout=30)
                connection.request("POST", self.path, body, dict(self.headers))
                answer = connection.getresponse()
                text = answer.read()
                connection.close()
                if lossy.lost < 2:
                    lossy.lost += 1
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> _Lossy:
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    unittest.main()
