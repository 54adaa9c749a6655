import type { AskClient } from "ask-a-human";

/** Waits ten minutes. Without all the answers it asked for, it does the careful thing. */
export async function mayBeDeleted(client: AskClient, table: string): Promise<boolean> {
  const question = await client.submitAndWait(
    {
      prompt: `The table ${table} was last read two years ago. May it be deleted?`,
      type: "multiple_choice",
      options: ["Yes", "No"],
      audience: ["technical"],
      min_responses: 2,
      timeout_seconds: 600,
    },
    { timeout: 600 },
  );
  const yes = question.summary?.[0];
  return question.status === "CLOSED" && yes !== undefined && yes.share > 0.5;
}
