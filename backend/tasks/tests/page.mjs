// The page in a real browser: an admin hands out a task, a member works on it; each sees what is theirs. By mouse, by keyboard, on a phone and in the dark.
// node page.mjs URL PACKAGES CHROMIUM FOLDER PORT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { auditor } from "../../../xtask/browser/accessible.mjs";
import { beingWritten } from "./being_written.mjs";
import { doneOnce } from "./done_once.mjs";
import { sessionEnds } from "./session_ends.mjs";

const [url, packages, executablePath, folder, port] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { chromium } = require("playwright-core");
const { accessible, found } = auditor(require, folder, "tasks");

// The mail server: it takes what is sent, but for those it does not know.
const unknown = new Set();
const refused = [];
const taken = [];
const connections = new Set();
const mails = createServer((socket) => {
  connections.add(socket);
  let rest = "";
  let to = "";
  let content = null;
  const say = (text) => socket.write(`${text}\r\n`);
  const hear = (line) => {
    if (content !== null && line !== ".") return content.push(line);
    if (content !== null) {
      taken.push({ to, text: content.join("\n") });
      content = null;
      return say("250 taken");
    }
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO":
        say("250-here");
        return say("250 8BITMIME");
      case "RCPT":
        to = /<(.*)>/.exec(line)[1];
        if (!unknown.has(to)) return say("250 ok");
        refused.push(to);
        return say("550 5.1.1 no such mailbox");
      case "DATA":
        content = [];
        return say("354 go on");
      case "QUIT":
        return socket.end("221 bye\r\n");
      default:
        return say("250 ok");
    }
  };
  socket.setEncoding("utf8");
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop();
    lines.forEach(hear);
  });
  say("220 here");
});
await new Promise((listens) => mails.listen(Number(port), "127.0.0.1", listens));
const until = async (holds, what) => {
  for (let tries = 0; tries < 600; tries += 1) {
    if (holds()) return;
    await new Promise((passed) => setTimeout(passed, 100));
  }
  assert.fail(what);
};

const browser = await chromium.launch({ executablePath, timeout: 120_000, args: ["--no-sandbox"] });
// Whatever the policy forbids, and whatever breaks, is told here.
const complaints = [];
const strangers = [];
// Somebody at a browser of their own.
const signIn = async (name, group, viewport = { width: 1100, height: 760 }) => {
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`${name}: ${error}`));
  page.on("console", (message) => {
    // A refusal, an answer that is lost or never comes, and what is given up are said by the browser and by htmx; the page tells of them what people need.
    const isRefusal = /status of (4|503)|Status Error Code (4|503)|ERR_FAILED|^htmx:(afterRequest|sendAbort|sendError|timeout)/.test(message.text());
    if (message.type() === "error" && !isRefusal) complaints.push(`${name}: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) strangers.push(request.url());
  });
  page.on("dialog", (dialog) => dialog.accept());
  // While the last route is taken away, the browser may forget what is asked for just then: one stays.
  await page.route("**/stays", (route) => route.fallback());
  await page.goto(url);
  await page.getByPlaceholder("Your name").fill(name);
  await page.locator("#group").selectOption(group);
  await page.keyboard.press("Enter");
  await page.locator(".board, #problem:not(:empty)").first().waitFor();
  return page;
};
const column = (page, status) => page.locator(`.column[data-status=${status}] .item .title`);
const shows = async (page, status, ...wanted) => {
  await page.waitForFunction(([status, wanted]) => JSON.stringify([...document.querySelectorAll(`.column[data-status=${status}] .item .title`)].map((one) => one.textContent)) === JSON.stringify(wanted), [status, wanted]);
};
const board = async (page) => {
  await page.getByRole("link", { name: "Board" }).click();
  await page.locator(".board").waitFor();
};
const offers = (page, ...wanted) => page.waitForFunction((wanted) => JSON.stringify([...document.querySelectorAll("#others li:has(button) span")].map((one) => one.textContent)) === JSON.stringify(wanted), wanted);
const told = (page, text) => page.locator("#problem").getByText(text).waitFor();

try {
  const admin = await signIn("Grace", "Admins");
  const member = await signIn("Alan", "Members");
  // A member has nothing to add, nobody to see, and no task yet.
  assert.equal(await member.locator("#quick-add").count(), 0);
  assert.equal(await member.getByRole("link", { name: "People" }).count(), 0);
  assert.equal(await member.locator(".item").count(), 0);

  // Create, also what looks like markup; by keyboard too.
  const add = async (title, priority) => {
    await admin.locator("#new-title").fill(title);
    if (priority) await admin.locator("#new-priority").selectOption(priority);
    await admin.locator("#quick-add .main").click();
    await column(admin, "OPEN").getByText(title, { exact: true }).waitFor();
  };
  await add("Fix the bug", "HIGH");
  await add("<b>Deploy</b> & test");
  // Whoever added one can write the next; elsewhere a key leads there.
  await admin.keyboard.press("Escape");
  await admin.keyboard.press("n");
  await admin.keyboard.type("Write the page");
  await admin.keyboard.press("Enter");
  await shows(admin, "OPEN", "Write the page", "<b>Deploy</b> & test", "Fix the bug");
  await admin.locator("#new-title").fill("   ");
  await admin.locator("#quick-add .main").click();
  await told(admin, "title");
  await admin.locator("#new-title").fill("");

  // A form whose answer was lost is sent again with its key, and done once.
  await admin.route("**/page/tasks", async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, body: "lost" });
  }, { times: 1 });
  await admin.locator("#new-title").fill("Only once");
  await admin.locator("#quick-add .main").click();
  await told(admin, "503");
  await admin.locator("#quick-add .main").click();
  await shows(admin, "OPEN", "Only once", "Write the page", "<b>Deploy</b> & test", "Fix the bug");
  await column(admin, "OPEN").getByText("Only once").click();
  await admin.getByRole("button", { name: "Delete" }).click();
  await shows(admin, "OPEN", "Write the page", "<b>Deploy</b> & test", "Fix the bug");

  // Edit.
  await column(admin, "OPEN").getByText("Fix the bug").click();
  await admin.getByRole("button", { name: "Edit" }).click();
  await admin.locator("[name=description]").fill("It is small.\nAnd red.");
  await admin.getByRole("button", { name: "Save" }).click();
  await admin.locator(".description").getByText("It is small.").waitFor();

  // Assign, and to whom is no longer offered. The mail server does not know them yet.
  unknown.add("alan@example.org");
  await admin.getByLabel("Assign Alan (alan@example.org)").click();
  await admin.getByLabel("Unassign Alan").waitFor();
  await until(() => refused.length === 1, "a mail about the assignment is refused");
  unknown.clear();
  await offers(admin, "Grace (grace@example.org)");
  await admin.locator("#assignee").fill("NOBODY");
  await admin.getByText("Nobody of that name can be assigned.").waitFor();
  await admin.locator("#assignee").fill("GRACE@");
  await offers(admin, "Grace (grace@example.org)");
  await accessible(admin, "detail-admin");

  // The member sees it and nothing else, and works on it.
  await board(member);
  await shows(member, "OPEN", "Fix the bug");
  await member.getByLabel("Start Fix the bug").click();
  await shows(member, "IN_PROGRESS", "Fix the bug");
  await shows(member, "OPEN");
  await column(member, "IN_PROGRESS").first().click();
  await member.locator(".detail").waitFor();
  for (const name of ["Close", "Delete", "Edit", "Unassign"]) {
    assert.equal(await member.getByRole("button", { name }).count(), 0, name);
  }
  await accessible(member, "detail-member");
  // What has happened is written down from the events, a moment after.
  const happened = member.locator(".history").getByText("assigned to Alan by Grace");
  for (let tries = 0; tries < 100 && !(await happened.count()); tries += 1) {
    await member.reload();
    await member.locator(".detail").waitFor();
  }
  await happened.waitFor();
  // Its address is one that can be sent to others; who may not see it is told.
  assert.match(member.url(), /\/tasks\/[0-9a-f-]{36}$/);
  const address = member.url();
  const stranger = await signIn("Mallory", "Members");
  await stranger.goto(address);
  await told(stranger, "not assigned");
  assert.equal(await stranger.locator(".detail").count(), 0);
  await member.getByRole("button", { name: "Complete" }).click();
  await member.locator(".status").getByText("Completed").waitFor();
  await board(admin);
  await shows(admin, "COMPLETED", "Fix the bug");
  await shows(admin, "OPEN", "Write the page", "<b>Deploy</b> & test");
  await accessible(admin, "board-admin");

  // Somebody else moved it meanwhile: the button that is still there tells so.
  await board(member);
  await column(admin, "COMPLETED").first().click();
  await admin.getByRole("button", { name: "Close", exact: true }).click();
  await admin.locator(".status").getByText("Closed").waitFor();
  await member.getByLabel("Resume Fix the bug").click();
  await told(member, "CLOSED");
  await told(member, "This is how it is now");
  await shows(member, "CLOSED", "Fix the bug");

  // People: a member who is deactivated is out at once.
  await admin.getByRole("link", { name: "People" }).click();
  await admin.locator("#user-Alan .status").getByText("ACTIVE").waitFor();
  assert.equal(await admin.locator("#user-Grace button").count(), 0, "nobody locks themselves out");
  await admin.getByLabel("Deactivate alan@example.org").click();
  await admin.locator("#user-Alan .status").getByText("DEACTIVATED").waitFor();
  await accessible(admin, "people");
  await member.getByRole("link", { name: "Board" }).click();
  await told(member, "deactivated");
  await board(admin);
  await column(admin, "OPEN").getByText("Write the page").click();
  await admin.locator("#assign").waitFor();
  await offers(admin, "Grace (grace@example.org)", "Mallory (mallory@example.org)");
  // Each place has an address: back and forward lead through them, and a reload stays.
  const there = admin.url();
  await admin.goBack();
  await admin.locator(".board").waitFor();
  assert.equal(new URL(admin.url()).pathname, "/");
  await admin.goForward();
  await admin.locator(".detail").waitFor();
  assert.equal(admin.url(), there);
  await admin.reload();
  await admin.locator(".detail").waitFor();
  await admin.getByRole("link", { name: "People" }).click();
  await admin.locator(".people").waitFor();
  assert.equal(new URL(admin.url()).pathname, "/people");
  await admin.locator("#who").fill("mallory");
  await admin.keyboard.press("Enter");
  await admin.waitForFunction(() => document.querySelectorAll(".people tbody tr").length === 1);
  // An address is freed of who is deactivated, and somebody else may come with it; what was looked for stays.
  assert.equal(await admin.getByLabel("Free the address mallory@example.org").count(), 0);
  await admin.getByLabel("Deactivate mallory@example.org").click();
  await admin.getByLabel("Free the address mallory@example.org").click();
  await admin.locator("#user-Mallory").getByText("@released.invalid").waitFor();
  assert.equal(await admin.locator(".people tbody tr").count(), 1);
  await admin.locator("#who").fill("");
  await admin.keyboard.press("Enter");
  await admin.getByLabel("Activate alan@example.org").click();
  await admin.getByLabel("Deactivate alan@example.org").waitFor();

  // A mail that did not arrive is shown with the reason, and goes when it is sent again.
  await admin.locator(".undelivered").getByText("no such mailbox").waitFor();
  const assigned = () => taken.filter((mail) => mail.to === "alan@example.org" && /^Subject: Assigned to you/m.test(mail.text));
  assert.equal(assigned().length, 0);
  await admin.getByRole("button", { name: /^Send again: the mail to / }).click();
  await admin.locator("#undelivered").waitFor({ state: "detached" });
  await until(() => assigned().length === 1, "the mail that is sent again arrives");
  await board(member);
  await shows(member, "CLOSED", "Fix the bug");

  // Unassign, reopen, delete.
  await board(admin);
  await column(admin, "CLOSED").first().click();
  await admin.getByLabel("Unassign Alan").click();
  await admin.getByText("Nobody yet.").waitFor();
  await admin.getByRole("button", { name: "Reopen" }).click();
  await admin.locator(".status").getByText("Open").waitFor();
  await admin.getByRole("button", { name: "Delete" }).click();
  await shows(admin, "OPEN", "Write the page", "<b>Deploy</b> & test");
  await board(member);
  await shows(member, "CLOSED");
  assert.equal(await member.locator(".item").count(), 0);

  // Whoever is beyond those that are offered is found by a part of the name: 120 people more than there were.
  const people = Array.from({ length: 120 }, (_, number) => `Person${String(number).padStart(3, "0")}`);
  for (const name of [...people, "Zed"]) {
    const token = await (await fetch(`${url}/page/token`, { method: "POST", body: new URLSearchParams({ name, group: "Members" }) })).text();
    const known = await fetch(`${url}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token.trim()}` } });
    assert.equal(known.status, 200, await known.text());
  }
  await column(admin, "OPEN").getByText("Write the page").click();
  await admin.getByText("There are more").waitFor();
  assert.equal(await admin.getByLabel("Assign Zed").count(), 0);
  await admin.locator("#assignee").fill("zed");
  await admin.getByLabel("Assign Zed").click();
  await admin.getByLabel("Unassign Zed").waitFor();
  await admin.screenshot({ path: join(folder, "tasks-assign.png"), fullPage: true });
  await board(admin);

  // A column with many tasks shows more when it is asked to.
  for (let number = 0; number < 22; number += 1) await add(`Task ${number}`);
  assert.equal(await admin.locator(".column[data-status=OPEN] .item").count(), 20);
  await admin.getByRole("button", { name: "More" }).click();
  await column(admin, "OPEN").getByText("Write the page", { exact: true }).waitFor();
  assert.equal(await admin.locator(".column[data-status=OPEN] .item").count(), 24);

  // On a phone, and in the dark.
  await admin.emulateMedia({ colorScheme: "dark" });
  await admin.setViewportSize({ width: 360, height: 740 });
  const wide = await admin.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.equal(wide, false, "the page is wider than a phone");
  const [ink, paper] = await admin.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
  const brightness = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number).reduce((sum, value) => sum + value, 0);
  assert.ok(brightness(paper) < brightness(ink), `${ink} on ${paper} is not dark`);
  await admin.screenshot({ path: join(folder, "tasks-phone-dark.png") });

  // Signed out, nothing is left on the screen.
  await admin.getByText("Sign out").click();
  assert.equal(await admin.locator(".item").count(), 0);
  await admin.reload();
  await admin.getByPlaceholder("Your name").waitFor();

  await accessible(admin, "sign-in");
  const around = { url, folder, accessible, signIn, shows, board, told };
  await beingWritten(around);
  await doneOnce(around);
  await sessionEnds(around);

  assert.deepEqual(found, []);
  assert.deepEqual(complaints, []);
  assert.deepEqual(strangers, []);
  console.log("   the page of the task manager works in", browser.version());
} finally {
  await browser.close();
  mails.close();
  connections.forEach((connection) => connection.destroy());
}
