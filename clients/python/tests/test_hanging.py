"""A service that takes questions and then never answers."""

from __future__ import annotations

import http.server
import json
import threading
import unittest

from ask_a_human import AskClient, NewQuestion, ServerError

QUESTION: NewQuestion = {"prompt": "Is anybody there?"}
OPEN = {"question_id": "q", "status": "OPEN", "current_responses": 0}


class Hanging:
    """Answers that a question was asked, after so many conflicts, and how it is so many times; then it is silent, or sends bit by bit an answer without end."""

    def __init__(self, submits: bool = True, reads: int = 0, drips: bool = False, conflicts: int = 0) -> None:
        self.asked, self.looks = 0, 0
        self.over = threading.Event()
        hanging = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                hanging.asked += 1
                self.rfile.read(int(self.headers["Content-Length"]))
                if hanging.asked <= conflicts:
                    self.meet()
                else:
                    self.answer(201) if submits else hanging.over.wait()

            def do_GET(self) -> None:
                hanging.looks += 1
                self.answer(200) if hanging.looks <= reads else self.drip()

            def drip(self) -> None:
                if not drips:
                    hanging.over.wait()
                    return
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                while not hanging.over.wait(0.2):
                    self.wfile.write(b" ")

            def meet(self) -> None:
                problem = {"type": "/problems/conflict", "title": "Another request changed it", "status": 409}
                self.answer(409, "application/problem+json", problem)

            def answer(self, status: int, media: str = "application/json", said: object = OPEN) -> None:
                body = json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Type", media)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.client = AskClient(f"http://127.0.0.1:{self.server.server_port}", key="aah_key")

    def __enter__(self) -> Hanging:
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


class HangingTest(unittest.TestCase):
    """After the timeout nothing is tried again."""

    def test_a_question_that_cannot_be_read_in_time_is_an_error_with_its_id(self) -> None:
        with Hanging() as service:
            with self.assertRaises(ServerError) as hung:
                service.client.submit_and_wait(QUESTION, timeout=5)
            self.assertEqual((hung.exception.question_id, service.looks), ("q", 1))

    def test_a_question_that_was_read_is_given_as_it_was(self) -> None:
        with Hanging(reads=1) as service:
            known = service.client.submit_and_wait(QUESTION, timeout=5)
            self.assertEqual((known["status"], service.looks), ("OPEN", 2))

    def test_an_answer_that_comes_bit_by_bit_has_no_more_time_than_any(self) -> None:
        with Hanging(drips=True) as service:
            with self.assertRaises(ServerError) as hung:
                service.client.submit_and_wait(QUESTION, timeout=5)
            self.assertEqual((hung.exception.question_id, service.looks), ("q", 1))
            self.assertIn("timed out", str(hung.exception))

    def test_asking_has_no_more_time_than_waiting(self) -> None:
        with Hanging(submits=False) as service:
            with self.assertRaises(ServerError) as hung:
                service.client.submit_and_wait(QUESTION, timeout=1)
            self.assertEqual((hung.exception.question_id, service.asked), (None, 1))

    def test_what_met_others_is_sent_again(self) -> None:
        with Hanging(conflicts=2) as service:
            self.assertEqual(service.client.submit_question(QUESTION)["question_id"], "q")
            self.assertEqual(service.asked, 3)


if __name__ == "__main__":
    unittest.main()
