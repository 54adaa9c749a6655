"""The types are what the service says of itself, and documents show what was run."""

from __future__ import annotations

import json
import os
import re
import unittest
import urllib.request
from pathlib import Path
from typing import Any, get_args

from ask_a_human import types

HERE = Path(__file__).parent.parent


def blocks(page: Path) -> list[str]:
    """The blocks of a page in Python."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


class TypesTest(unittest.TestCase):
    def setUp(self) -> None:
        with urllib.request.urlopen(os.environ["ASK_A_HUMAN_BASE_URL"] + "/openapi.json", timeout=30) as response:
            self.described: dict[str, Any] = json.load(response)

    def schema(self, reference: dict[str, str]) -> dict[str, Any]:
        found: dict[str, Any] = self.described["components"]["schemas"][reference["$ref"].rsplit("/", 1)[1]]
        return found

    def body(self, operation: dict[str, Any], status: str) -> dict[str, Any]:
        [content] = operation["responses"][status]["content"].values()
        return self.schema(content["schema"])

    def agrees(self, typed: type, schema: dict[str, Any]) -> None:
        """The same names, of which the same may be left out."""
        required: frozenset[str] = getattr(typed, "__required_keys__")
        optional: frozenset[str] = getattr(typed, "__optional_keys__")
        self.assertEqual(required | optional, frozenset(schema["properties"]), typed)
        self.assertEqual(required, frozenset(schema["required"]), typed)

    def test_the_types_have_the_fields_of_the_service(self) -> None:
        questions = self.described["paths"]["/agent/questions"]
        read = self.described["paths"]["/agent/questions/{question_id}"]["get"]
        new = self.schema(questions["post"]["requestBody"]["content"]["application/json"]["schema"])
        answered = self.body(read, "200")
        page = self.body(questions["get"], "200")
        answer = self.schema(answered["properties"]["responses"]["items"])
        self.agrees(types.NewQuestion, new)
        self.agrees(types.Asked, self.body(questions["post"], "201"))
        self.agrees(types.AnsweredQuestion, answered)
        self.agrees(types.Answer, answer)
        self.agrees(types.Votes, self.schema(answered["properties"]["summary"]["items"]))
        self.agrees(types.QuestionPage, page)
        self.agrees(types.Question, self.schema(page["properties"]["items"]["items"]))
        problem = self.body(read, "404")
        self.agrees(types.Problem, problem)
        self.agrees(types.FieldError, self.schema(problem["properties"]["errors"]["items"]))

    def test_the_types_have_the_values_of_the_service(self) -> None:
        schemas = self.described["components"]["schemas"]
        for name, values in [
            ("QuestionAudience", types.Audience),
            ("QuestionType", types.QuestionType),
            ("QuestionStatus", types.Status),
            ("ResponseReview", types.Review),
        ]:
            self.assertEqual(set(get_args(values)), set(_values(schemas[name])), name)


def _values(schema: dict[str, Any]) -> list[str]:
    if "enum" in schema:
        return list(schema["enum"])
    return [value["const"] for value in schema["oneOf"]]


class DocumentsTest(unittest.TestCase):
    def test_the_examples_are_in_the_read_me_each_as_it_is_run(self) -> None:
        run = [path.read_text() for path in sorted((HERE / "examples").glob("[!_]*.py"))]
        self.assertEqual(len(run), 3)
        self.assertEqual(sorted(blocks(HERE / "README.md")), sorted(run))

    def test_what_the_page_of_the_service_shows_is_one_of_them(self) -> None:
        shown = blocks(HERE.parent.parent / "docs" / "ask.md")
        self.assertEqual(shown, [(HERE / "examples" / "wait_with_a_timeout.py").read_text()])


if __name__ == "__main__":
    unittest.main()
