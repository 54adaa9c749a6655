import { type AskClient, acceptedAnswers } from "ask-a-human";

/** Lets people propose, and then vote on what was proposed. */
export async function slogan(client: AskClient, timeout = 900): Promise<string | undefined> {
  const proposed = await client.submitAndWait(
    { prompt: "Propose a slogan for a library that is open all night.", audience: ["creative"], min_responses: 2 },
    { timeout },
  );
  const inOneLine = acceptedAnswers(proposed).map(({ answer }) => (answer ?? "").replace(/\s+/g, " ").trim().slice(0, 200));
  const options = [...new Set(inOneLine)].filter((option) => option !== "").slice(0, 10);
  if (options.length < 2) {
    return options[0];
  }
  const voted = await client.submitAndWait(
    { prompt: "Which slogan would bring you to the library?", type: "multiple_choice", options, min_responses: 2 },
    { timeout },
  );
  const [best] = (voted.summary ?? []).toSorted((one, other) => other.votes - one.votes);
  return best?.text;
}
