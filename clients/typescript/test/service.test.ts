/** Against a service that runs: ASK_A_HUMAN_BASE_URL and ASK_A_HUMAN_KEY, and the key of an agent with narrow quotas. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  AskClient,
  AuthenticationError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  ServerError,
  ValidationError,
  acceptedAnswers,
  isOver,
} from "ask-a-human";
import { opinionsOnAName } from "../examples/fire_and_continue.js";
import { slogan } from "../examples/several_turns.js";
import { mayBeDeleted } from "../examples/wait_with_a_timeout.js";
import { answerWhenAsked, answers } from "./people.js";

const client = new AskClient();
const narrowKey = process.env["ASK_TEST_NARROW_KEY"] ?? "";
const bridge = { prompt: "Would you cross this bridge on foot?" };

const recent = async () => (await client.listQuestions({ limit: 100 })).items;

test("a question is asked, read and listed", async () => {
  const asked = await client.submitQuestion({ ...bridge, type: "multiple_choice", options: ["Yes", "No"], min_responses: 2 });
  assert.equal(asked.status, "OPEN");
  const question = await client.getQuestion(asked.question_id);
  assert.equal(question.prompt, bridge.prompt);
  assert.deepEqual(question.summary?.map(({ votes }) => votes), [0, 0]);
  assert.ok(!isOver(question));
  const ids = [];
  for await (const { question_id } of client.allQuestions({ status: "OPEN" })) {
    ids.push(question_id);
  }
  assert.ok(ids.includes(asked.question_id));
  const page = await client.listQuestions({ limit: 1 });
  assert.equal(page.items.length, 1);
});

test("whoever waits has the answers as soon as all are there", async () => {
  const question = { ...bridge, prompt: "Which of these bridges is safest?", min_responses: 2 };
  const waited = client.submitAndWait(question, { timeout: 60 });
  await answerWhenAsked(recent, /safest/, [{ answer: "The one of stone.", confidence: 5 }, { answer: "None of them is." }]);
  const answered = await waited;
  assert.equal(answered.status, "CLOSED");
  assert.deepEqual(acceptedAnswers(answered).map(({ answer }) => answer), ["The one of stone.", "None of them is."]);
  assert.equal(answered.responses[0]?.confidence, 5);
});

test("after the timeout there is what has come by then", async () => {
  const asked = await client.submitQuestion({ ...bridge, min_responses: 2 });
  await answers(asked.question_id, { answer: "Only in company." });
  const partial = await client.awaitResponses(asked.question_id, { timeout: 1 });
  assert.equal(partial.status, "PARTIAL");
  assert.equal(partial.responses.length, 1);
  const enough = new Error("enough");
  const ended = client.awaitResponses(asked.question_id, { signal: AbortSignal.timeout(200) });
  await assert.rejects(ended, { name: "TimeoutError" });
  await assert.rejects(client.submitAndWait(bridge, { signal: AbortSignal.abort(enough) }), enough);
});

test("what is wrong has a class of its own", async () => {
  await assert.rejects(client.submitQuestion({ prompt: "Why?" }), (error) => {
    assert.ok(error instanceof ValidationError);
    assert.equal(error.status, 422);
    assert.equal(error.problem?.errors?.[0]?.field, "prompt");
    assert.match(error.message, /prompt: /);
    return true;
  });
  await assert.rejects(client.getQuestion("no-id"), ValidationError);
  await assert.rejects(client.getQuestion("01a1dfe5-1dcc-7003-9564-d9f0c3f5af45"), NotFoundError);
  await assert.rejects(client.getQuestion("../../openapi.json"), ValidationError);
  await assert.rejects(new AskClient({ key: "aah_wrong" }).listQuestions(), AuthenticationError);

  const narrow = new AskClient({ key: narrowKey });
  const { question_id } = await narrow.submitQuestion(bridge);
  await assert.rejects(narrow.submitQuestion(bridge), QuotaError);
  await narrow.getQuestion(question_id);
  await assert.rejects(narrow.getQuestion(question_id), (error) => {
    assert.ok(error instanceof RateLimitError);
    assert.ok(error.retryAfter >= 1 && error.retryAfter <= 3600, `${error.retryAfter}`);
    return true;
  });
  // It knows nothing of its question, so there is nothing to give after the timeout; but which question it was is not lost.
  await assert.rejects(narrow.awaitResponses(question_id, { timeout: 1 }), (error) => {
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.questionId, question_id);
    return true;
  });
});

// S2-21
test("a question whose answer was lost is asked once", async () => {
  let lost = 0;
  const lossy = createServer((incoming, outgoing) => {
    const forwarded = request(process.env["ASK_A_HUMAN_BASE_URL"] + (incoming.url ?? ""), {
      method: incoming.method,
      headers: incoming.headers,
    });
    incoming.pipe(forwarded);
    forwarded.on("response", (answer) => {
      if (lost < 2) {
        lost += 1;
        answer.resume();
        answer.on("end", () => outgoing.destroy());
      } else {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      }
    });
  });
  await once(lossy.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(lossy.address() as AddressInfo).port}`;
  const prompt = "Was this question asked more than once?";
  const asked = await new AskClient({ baseUrl }).submitQuestion({ prompt });
  const found = (await recent()).filter((question) => question.prompt === prompt);
  assert.deepEqual(found.map(({ question_id }) => question_id), [asked.question_id]);
  assert.equal(lost, 2);

  lossy.closeAllConnections();
  await once(lossy.close(), "close");
  await assert.rejects(new AskClient({ baseUrl, retries: 1 }).listQuestions(), (error) => {
    assert.ok(error instanceof ServerError);
    assert.equal(error.status, undefined);
    return true;
  });
});

test("the same key asks once, also of another client", async () => {
  const idempotencyKey = crypto.randomUUID();
  const first = await client.submitQuestion(bridge, { idempotencyKey });
  const second = await new AskClient().submitQuestion(bridge, { idempotencyKey });
  assert.deepEqual(second, first);
  const other = { prompt: "Would you cross it in the dark?" };
  await assert.rejects(client.submitQuestion(other, { idempotencyKey }), ValidationError);
});

test("the key is not shown", () => {
  assert.ok(!JSON.stringify(client).includes("aah_"));
});

test("fire and continue", async () => {
  const work = () => answerWhenAsked(recent, /Nimbus/, [{ answer: "It sounds like rain." }]);
  assert.deepEqual(await opinionsOnAName(client, work), ["It sounds like rain."]);
});

test("wait with a timeout", async () => {
  const votes = [{ selected_option: 0 }, { selected_option: 0 }];
  const people = answerWhenAsked(recent, /old_orders/, votes);
  assert.equal(await mayBeDeleted(client, "old_orders"), true);
  await people;
});

test("several turns", async () => {
  const propose = answerWhenAsked(recent, /Propose a slogan/, [{ answer: "Read till dawn." }, { answer: "Books\nnever sleep." }]);
  const vote = answerWhenAsked(recent, /Which slogan/, [{ selected_option: 1 }, { selected_option: 1 }]);
  assert.equal(await slogan(client), "Books never sleep.");
  await Promise.all([propose, vote]);
});
