import { type AskClient, acceptedAnswers } from "ask-a-human";

/** Asks early, works on, and takes what has come by then. */
export async function opinionsOnAName(client: AskClient, work: () => Promise<void>): Promise<string[]> {
  const asked = await client.submitQuestion({
    prompt: "Is Nimbus a good name for a weather app? Why, or why not?",
    audience: ["creative", "general"],
    min_responses: 3,
  });
  await work();
  const question = await client.getQuestion(asked.question_id);
  return acceptedAnswers(question).map(({ answer }) => answer ?? "");
}
