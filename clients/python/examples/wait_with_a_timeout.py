from ask_a_human import AskClient


def may_be_deleted(client: AskClient, table: str) -> bool:
    """Waits ten minutes. Without all the answers it asked for, it does the careful thing."""
    question = client.submit_and_wait(
        {
            "prompt": f"The table {table} was last read two years ago. May it be deleted?",
            "type": "multiple_choice",
            "options": ["Yes", "No"],
            "audience": ["technical"],
            "min_responses": 2,
            "timeout_seconds": 600,
        },
        timeout=600,
    )
    yes, _ = question["summary"] or (None, None)
    return question["status"] == "CLOSED" and yes is not None and yes["share"] > 0.5
