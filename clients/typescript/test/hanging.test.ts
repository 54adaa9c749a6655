/** A service that takes questions and then never answers: after the timeout nothing is tried again. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { AskClient, ServerError } from "ask-a-human";

const question = { prompt: "Is anybody there?" };

/** Answers that a question was asked, after so many conflicts, and how it is so many times; then it is silent. */
async function hanging({ submits = true, reads = 0, conflicts = 0 }, use: (client: AskClient, seen: { asked: number; looks: number }) => Promise<void>) {
  const seen = { asked: 0, looks: 0 };
  const service = createServer((incoming, outgoing) => {
    incoming.resume();
    const asks = incoming.method === "POST";
    seen[asks ? "asked" : "looks"] += 1;
    if (asks && seen.asked <= conflicts) {
      const problem = { type: "/problems/conflict", title: "Another request changed it", status: 409 };
      outgoing.writeHead(409, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
    } else if (asks ? submits : seen.looks <= reads) {
      outgoing.writeHead(asks ? 201 : 200).end(JSON.stringify({ question_id: "q", status: "OPEN", current_responses: 0 }));
    }
  });
  await once(service.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  try {
    await use(new AskClient({ baseUrl, key: "aah_key" }), seen);
  } finally {
    service.closeAllConnections();
    await once(service.close(), "close");
  }
}

function hung(questionId: string | undefined) {
  return (error: unknown) => {
    assert.ok(error instanceof ServerError);
    assert.equal(error.questionId, questionId);
    return true;
  };
}

test("a question that cannot be read in time is an error with its id", async () => {
  await hanging({}, async (client, seen) => {
    await assert.rejects(client.submitAndWait(question, { timeout: 5 }), hung("q"));
    assert.equal(seen.looks, 1);
  });
});

test("a question that was read is given as it was", async () => {
  await hanging({ reads: 1 }, async (client, seen) => {
    assert.equal((await client.submitAndWait(question, { timeout: 5 })).status, "OPEN");
    assert.equal(seen.looks, 2);
  });
});

test("asking has no more time than waiting", async () => {
  await hanging({ submits: false }, async (client, seen) => {
    await assert.rejects(client.submitAndWait(question, { timeout: 1 }), hung(undefined));
    assert.equal(seen.asked, 1);
  });
});

test("what met others is sent again", async () => {
  await hanging({ conflicts: 2 }, async (client, seen) => {
    assert.equal((await client.submitQuestion(question)).question_id, "q");
    assert.equal(seen.asked, 3);
  });
});
