/** People who answer, as an app of theirs does: what agents have no client for. */
const address = process.env["ASK_A_HUMAN_BASE_URL"] ?? "";

async function asked(path: string, token: string | undefined, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(address + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${path}: ${response.status} ${text}`);
  }
  return JSON.parse(text) as Record<string, unknown>;
}

export interface Answered {
  answer?: string;
  selected_option?: number;
  confidence?: number;
}

/** Somebody new, who answers one question. */
export async function answers(questionId: string, answer: Answered): Promise<void> {
  const { token } = await asked("/human/people", undefined, {});
  const seen = await asked(`/human/questions/${questionId}`, String(token));
  await asked("/human/responses", String(token), { question_id: questionId, opened: seen["opened"], ...answer });
}

/** Somebody new for each of these, who answers the question with this prompt as soon as it is asked. */
export async function answerWhenAsked(
  questions: () => Promise<{ question_id: string; prompt: string }[]>,
  prompt: RegExp,
  given: Answered[],
): Promise<void> {
  for (;;) {
    const found = (await questions()).find((question) => prompt.test(question.prompt));
    if (found !== undefined) {
      for (const answer of given) {
        await answers(found.question_id, answer);
      }
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
