from collections.abc import Callable

from ask_a_human import AskClient, accepted_answers


def opinions_on_a_name(client: AskClient, work: Callable[[], None]) -> list[str]:
    """Asks early, works on, and takes what has come by then."""
    asked = client.submit_question(
        {
            "prompt": "Is Nimbus a good name for a weather app? Why, or why not?",
            "audience": ["creative", "general"],
            "min_responses": 3,
        }
    )
    work()
    question = client.get_question(asked["question_id"])
    return [answer["answer"] or "" for answer in accepted_answers(question)]
