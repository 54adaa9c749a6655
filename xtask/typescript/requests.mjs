// What the services are asked so that their tables hold something of every entity: `cargo xtask typescript` runs it.
// node requests.mjs SERVICE URL
// node requests.mjs full URL  tells the task manager of a change whose mail nobody takes
// node requests.mjs bounced URL TOKEN FOLDER  tells the task manager that the first mail of the folder came back
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [service, url, bounceToken, mails] = process.argv.slice(2);

const asked = (token) => async (method, path, body, headers = {}) => {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
  return text ? JSON.parse(text) : null;
};

const somebody = async (name, group) => {
  const form = new URLSearchParams(group ? { name, group } : { name });
  const token = await (await fetch(`${url}/page/token`, { method: "POST", body: form })).text();
  return asked(token);
};

const once = (key) => ({ "Idempotency-Key": key });

const todo = async () => {
  const ada = await somebody("ada");
  const api = (method, path, ...rest) => ada(method, `/api/v1${path}`, ...rest);
  await api("PUT", "/users/me", { name: "Ada", email: "ada@example.org" });
  await api("POST", "/tasks", { title: "As little as can be" }, once("first"));
  const whole = await api("POST", "/tasks", {
    title: "Book the train",
    description: "Two seats, with \"quotes\" and a # sign",
    priority: "urgent",
    category: "travel",
    due_date: "2030-02-28",
  });
  await api("PATCH", `/tasks/${whole.task_id}`, { status: "in_progress" });
  const done = await api("POST", "/tasks", { title: "Done", priority: "low", due_date: "2030-01-01" });
  await api("PATCH", `/tasks/${done.task_id}`, { status: "completed" }, once("second"));
};

const tasks = async () => {
  const grace = await somebody("grace", "Admins");
  const alan = await somebody("alan");
  await grace("GET", "/api/v1/users/me");
  await alan("GET", "/api/v1/users/me");
  await grace("POST", "/api/v1/tasks", { title: "Nobody's", priority: "LOW" }, once("first"));
  const task = await grace("POST", "/api/v1/tasks", { title: "The cart forgets", priority: "HIGH", description: "On phones" });
  await grace("POST", `/api/v1/tasks/${task.taskId}/assign`, { userId: "alan" });
  await alan("PUT", `/api/v1/tasks/${task.taskId}/status`, { status: "IN_PROGRESS" });
  await alan("PUT", `/api/v1/tasks/${task.taskId}/status`, { status: "COMPLETED" });
  await grace("POST", `/api/v1/tasks/${task.taskId}/close`);
};

const ask = async () => {
  const admin = await somebody("grace", "Admins");
  await admin("PUT", "/admin/agents/typed", { name: "The typed agent" });
  const { key } = await admin("POST", "/admin/agents/typed/keys", { label: "types" });
  const agent = asked(key);
  const person = async () => {
    const made = await fetch(`${url}/human/people`, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    return asked((await made.json()).token);
  };
  // Who subscribes before a question is asked is told of it.
  const waiting = await person();
  await waiting("POST", "/human/push/subscriptions", { fcm_token: "a-token-of-a-device-that-waits", min_interval_minutes: 30 });
  const question = { prompt: "Would you cross this bridge?", min_responses: 2, timeout_seconds: 86400 };
  const choice = await agent(
    "POST",
    "/agent/questions",
    { ...question, type: "multiple_choice", options: ["Yes", "No"], audience: ["general"] },
    once("first"),
  );
  await agent("POST", "/agent/questions", { ...question, type: "text", audience: ["technical", "creative"] });
  const answering = await person();
  const seen = await answering("GET", `/human/questions/${choice.question_id}`);
  await answering("POST", "/human/responses", {
    question_id: choice.question_id,
    selected_option: 1,
    confidence: 5,
    opened: seen.opened,
  });
};

const bounced = async () => {
  const mail = readdirSync(mails).find((name) => name.endsWith(".eml"));
  const [, messageId] = readFileSync(join(mails, mail), "utf8").match(/^Message-ID: (.*?)\r?$/m);
  await asked(bounceToken)("POST", "/api/v1/mail/bounces", { messageId, reason: "550 no such mailbox" });
};

// Of somebody whose mailbox is full: their mail waits.
const full = async () => {
  const grace = await somebody("grace", "Admins");
  const task = await grace("POST", "/api/v1/tasks", { title: "Whoever reads this", priority: "LOW" });
  await grace("POST", `/api/v1/tasks/${task.taskId}/assign`, { userId: "alan" });
};

await { todo, tasks, ask, bounced, full }[service]();
