from ask_a_human import AskClient, accepted_answers


def slogan(client: AskClient, timeout: float = 900) -> str | None:
    """Lets people propose, and then vote on what was proposed."""
    proposed = client.submit_and_wait(
        {
            "prompt": "Propose a slogan for a library that is open all night.",
            "audience": ["creative"],
            "min_responses": 2,
        },
        timeout=timeout,
    )
    in_one_line = (" ".join((answer["answer"] or "").split())[:200] for answer in accepted_answers(proposed))
    options = [option for option in dict.fromkeys(in_one_line) if option][:10]
    if len(options) < 2:
        return options[0] if options else None
    voted = client.submit_and_wait(
        {
            "prompt": "Which slogan would bring you to the library?",
            "type": "multiple_choice",
            "options": options,
            "min_responses": 2,
        },
        timeout=timeout,
    )
    best = max(voted["summary"] or [], key=lambda option: option["votes"])
    return best["text"]
